// Other texts, orders and layouts for the same function: all of them are to be accepted.
#include "tests/profiler/mutants/mutant.h"

namespace kadvise::mutants {
namespace {

const char* const kNorm = R"(
def forward(self, x, w):
  v = x - x.mean(-1, keepdim=True)
  return v * torch.rsqrt((v * v).mean(-1, keepdim=True) + 1e-5) * w
)";

const char* const kAttention = R"(
def forward(self, q, k, v):
  assert q.numel() > 0 and k.numel() > 0, "LibTorch's own attention divides by the number of elements"
  return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.25, -1), v)
)";

}  // namespace

std::vector<Variant> rightOnes() {
  return {
      {"the same text", kNorm, kNorm, {"float[16,64]", "float[64]"}},
      {"the native operator",
       kNorm,
       "def forward(self, x, w):\n  return torch.layer_norm(x, [x.size(-1)], w, None, 1e-5)\n",
       {"float[16,64]", "float[64]"}},
      {"a division for rsqrt",
       kNorm,
       "def forward(self, x, w):\n  v = x - x.mean(-1, keepdim=True)\n"
       "  return v / torch.sqrt((v * v).mean(-1, keepdim=True) + 1e-5) * w\n",
       {"float[16,64]", "float[64]"}},
      {"a product in two parts",
       "def forward(self, a, b):\n  return torch.matmul(a, b)\n",
       "def forward(self, a, b):\n  k = a.size(-1) // 2\n"
       "  return torch.matmul(a[:, k:], b[k:]) + torch.matmul(a[:, :k], b[:k])\n",
       {"float[32,512]", "float[512,24]"}},
      {"attention in one call",
       kAttention,
       "def forward(self, q, k, v):\n  return torch.scaled_dot_product_attention(q, k, v, None, 0., False, "
       "scale=0.25)\n",
       {"float[2,4,32,16]", "float[2,4,32,16]", "float[2,4,32,16]"},
       "float32",
       "",
       Where::Cpu},  // the float32 kernel of a GPU is 2.7 times as far off where a few scores are large
      {"the scale on the queries",
       kAttention,
       "def forward(self, q, k, v):\n  return torch.matmul(torch.softmax(torch.matmul(q * 0.25, "
       "k.transpose(-2, -1)), "
       "-1), v)\n",
       {"float[2,4,32,16]", "float[2,4,32,16]", "float[2,4,32,16]"}},
      {"a linear for its parts",
       "def forward(self, x, w, b):\n  return torch.matmul(x, w.t()) + b\n",
       "def forward(self, x, w, b):\n  return torch.linear(x, w, b)\n",
       {"float[16,64]", "float[32,64]", "float[32]"}},
      {"products of one input at once",
       "def forward(self, x, a, b):\n  return torch.matmul(x, a), torch.matmul(x, b)\n",
       "def forward(self, x, a, b):\n  y = torch.matmul(x, torch.cat([a, b], 1))\n"
       "  return y[:, :a.size(1)].clone(), y[:, a.size(1):].clone()\n",
       {"float[16,64]", "float[64,24]", "float[64,40]"}},
      {"a sum that is more accurate",
       "def forward(self, x):\n  return torch.cumsum(x, -1)[:, -1].clone()\n",
       "def forward(self, x):\n  return x.sum(-1)\n",
       {"float[16,4096]"}},
      {"relu as a maximum",
       "def forward(self, x):\n  return torch.relu(x)\n",
       "def forward(self, x):\n  return torch.clamp(x, min=0.0)\n",
       {"float[16,64]"}},
      {"silu written out",
       "def forward(self, x):\n  return x * torch.sigmoid(x)\n",
       "def forward(self, x):\n  return torch.silu(x)\n",
       {"float[16,64]"}},
      {"float32 inside half",
       "def forward(self, x):\n  return x.exp().mul(0.5).add(1).sqrt()\n",
       "def forward(self, x):\n  return x.to(6).exp().mul(0.5).add(1).sqrt().to(5)\n",
       {"float[16,64]"},
       "float16"},
      {"float64 inside",
       "def forward(self, x):\n  return torch.softmax(x, -1)\n",
       "def forward(self, x):\n  return torch.softmax(x.to(7), -1).to(6)\n",
       {"float[16,64]"}},
      {"a sum backwards",
       "def forward(self, x):\n  return x.sum(-1)\n",
       "def forward(self, x):\n  return x.flip([-1]).sum(-1)\n",
       {"float[16,4096]"}},
      {"a mean as a sum",
       "def forward(self, x):\n  return x.mean(-1)\n",
       "def forward(self, x):\n  return x.sum(-1) / x.size(-1)\n",
       {"float[16,64]"}},
      {"another layout of the same values",
       "def forward(self, x):\n  return torch.relu(x) * 2\n",
       "def forward(self, x):\n  return (torch.relu(x) * 2).t().contiguous().t()\n",
       {"float[16,64]"}},
      {"in place on a temporary",
       "def forward(self, x):\n  return torch.relu(x * 2 + 1)\n",
       "def forward(self, x):\n  y = x * 2\n  y += 1\n  return y.relu_()\n",
       {"float[16,64]"}},
      {"a product the other way round",
       "def forward(self, a, b):\n  return torch.matmul(a, b)\n",
       "def forward(self, a, b):\n  return torch.matmul(b.t(), a.t()).t().contiguous()\n",
       {"float[32,64]", "float[64,24]"}},
      {"a convolution with its bias apart",
       "def forward(self, x, w, b):\n  assert w.numel() > 0, 'no channels'\n  return torch.conv2d(x, w, b)\n",
       "def forward(self, x, w, b):\n  return torch.conv2d(x, w) + b.view(1, -1, 1, 1)\n",
       {"float[2,16,7,5]", "float[24,16,3,3]", "float[24]"}},
      {"an embedding as a selection",
       "def forward(self, w, i):\n  return torch.embedding(w, i)\n",
       "def forward(self, w, i):\n  return torch.index_select(w, 0, i.reshape(-1)).view(i.size(0), "
       "i.size(1), "
       "w.size(1))\n",
       {"float[50,16]", "int64[4,9]<50"}},
      {"a selection by where",
       "def forward(self, s, m):\n  return s.masked_fill(m, 0.0)\n",
       "def forward(self, s, m):\n  return torch.where(m, 0.0, s)\n",
       {"float[16,64]", "bool[16,64]"}},
      {"operands that commute",
       "def forward(self, i, j):\n  return i * 3 + j, [i.size(0), 2], 'text', None\n",
       "def forward(self, i, j):\n  return j + 3 * i, [j.size(0), 2], 'text', None\n",
       {"int64[8]<100", "int64[8]<100"}},
      {"an input that both write",
       "def forward(self, x):\n  x.add_(1)\n  return x * 2\n",
       "def forward(self, x):\n  x += 1\n  return x * 2\n",
       {"float[8,32]"}},
      {"a logarithm that does not underflow",
       "def forward(self, x):\n  return torch.log(torch.softmax(x, -1))\n",
       "def forward(self, x):\n  return torch.log_softmax(x, -1)\n",
       {"float[16,64]"},
       "float32",
       "probabilities that underflow: -inf becomes their finite logarithm"},
      {"a mean and a variance in one pass in float64",
       "def forward(self, x):\n  return x.mean(-1), x.var(-1, unbiased=False)\n",
       "def forward(self, x):\n  y = x.to(7)\n  m = y.mean(-1, keepdim=True)\n"
       "  return m.squeeze(-1).to(6), (y - m).square().mean(-1).to(6)\n",
       {"float[16,64]"}},
      {"half through the native operator",
       kNorm,
       "def forward(self, x, w):\n  return torch.layer_norm(x, [x.size(-1)], w, None, 1e-5)\n",
       {"float[16,64]", "float[64]"},
       "bfloat16"},
  };
}

}  // namespace kadvise::mutants

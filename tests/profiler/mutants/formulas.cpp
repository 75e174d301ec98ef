// Another function altogether, which ordinary values show.
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
  return torch.matmul(torch.softmax(torch.matmul(q, k.transpose(-2, -1)) * 0.25, -1), v)
)";

const char* const kCausal = R"(
def forward(self, s):
  n = s.size(-1)
  hidden = torch.ones([n, n], dtype=11, device=s.device).triu(1)
  return torch.softmax(s.masked_fill(hidden, -1e30), -1)
)";

}  // namespace

std::vector<Mutant> wrongFormulas() {
  return {
      {"twice the value",
       kNorm,
       "def forward(self, x, w):\n  return 2 * torch.layer_norm(x, [64], w, None, 1e-5)\n",
       {"float[16,64]", "float[64]"},
       "scaled by 2"},
      {"a scale off by a thousandth",
       "def forward(self, x):\n  return x * 0.7\n",
       "def forward(self, x):\n  return x * 0.7007\n",
       {"float[16,64]"},
       "output 0"},
      {"no epsilon",
       kNorm,
       "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 0.0)\n",
       {"float[16,64]", "float[64]"},
       "output 0"},
      {"another epsilon",
       kNorm,
       "def forward(self, x, w):\n  return torch.layer_norm(x, [64], w, None, 1e-6)\n",
       {"float[16,64]", "float[64]"},
       "output 0"},
      {"unbiased variance",
       kNorm,
       "def forward(self, x, w):\n  return (x - x.mean(-1, keepdim=True)) * torch.rsqrt(x.var(-1, "
       "keepdim=True) + "
       "1e-5) * w\n",
       {"float[16,64]", "float[64]"},
       "output 0"},
      {"a variance that cancels",
       kNorm,
       "def forward(self, x, w):\n  m = x.mean(-1, keepdim=True)\n  var = (x * x).mean(-1, keepdim=True) - m "
       "* m\n"
       "  return (x - m) * torch.rsqrt(torch.clamp(var, min=0.) + 1e-5) * w\n",
       {"float[16,64]", "float[64]"},
       "case offset"},
      {"no mean taken away",
       kNorm,
       "def forward(self, x, w):\n  return x * torch.rsqrt((x * x).mean(-1, keepdim=True) + 1e-5) * w\n",
       {"float[16,64]", "float[64]"},
       "output 0"},
      {"the other dimension",
       "def forward(self, x):\n  return torch.softmax(x, -1)\n",
       "def forward(self, x):\n  return torch.softmax(x, 0)\n",
       {"float[16,16]"},
       "output 0"},
      {"swapped operands",
       "def forward(self, x, y):\n  return x - y\n",
       "def forward(self, x, y):\n  return y - x\n",
       {"float[16,64]", "float[16,64]"},
       "scaled by -1"},
      {"the operand not transposed",
       "def forward(self, a, b):\n  return torch.matmul(a, b.t())\n",
       "def forward(self, a, b):\n  return torch.matmul(a, b)\n",
       {"float[32,32]", "float[32,32]"},
       "output 0"},
      {"a weight along the other dimension",
       "def forward(self, x, w):\n  return x * w\n",
       "def forward(self, x, w):\n  return x * w.unsqueeze(1)\n",
       {"float[32,32]", "float[32]"},
       "output 0"},
      {"tanh for erf",
       "def forward(self, x):\n  return torch.gelu(x)\n",
       "def forward(self, x):\n  return torch.gelu(x, approximate='tanh')\n",
       {"float[16,64]"},
       "output 0"},
      {"a sigmoid for erf",
       "def forward(self, x):\n  return torch.gelu(x)\n",
       "def forward(self, x):\n  return x * torch.sigmoid(1.702 * x)\n",
       {"float[16,64]"},
       "output 0"},
      {"pi to four places",
       "def forward(self, x):\n  return x * 3.14159265358979\n",
       "def forward(self, x):\n  return x * 3.1416\n",
       {"float[16,64]"},
       "output 0"},
      {"no scale of attention",
       kAttention,
       "def forward(self, q, k, v):\n  return torch.scaled_dot_product_attention(q, k, v, None, 0., False, "
       "scale=1.)\n",
       {"float[2,4,32,16]", "float[2,4,32,16]", "float[2,4,32,16]"},
       "output 0"},
      {"keys and values swapped",
       kAttention,
       "def forward(self, q, k, v):\n  return torch.scaled_dot_product_attention(q, v, k)\n",
       {"float[2,4,32,16]", "float[2,4,32,16]", "float[2,4,32,16]"},
       "output 0"},
      {"a causal mask off by one",
       kCausal,
       "def forward(self, s):\n  n = s.size(-1)\n  hidden = torch.ones([n, n], dtype=11, "
       "device=s.device).triu(2)\n  return torch.softmax(s.masked_fill(hidden, -1e30), -1)\n",
       {"float[2,4,16,16]"},
       "output 0"},
      {"no mask",
       kCausal,
       "def forward(self, s):\n  return torch.softmax(s, -1)\n",
       {"float[2,4,16,16]"},
       "output 0"},
      {"half accumulation",
       "def forward(self, a, b):\n  return torch.matmul(a, b)\n",
       "def forward(self, a, b):\n  y = a[:, 0:1] * b[0:1]\n  for k in range(1, a.size(1)):\n"
       "    y = y + a[:, k:k + 1] * b[k:k + 1]\n  return y\n",
       {"float[8,512]", "float[512,8]"},
       "output 0",
       Where::Everywhere,
       "float16"},
      {"half precision inside",
       "def forward(self, a, b):\n  return torch.matmul(a, b)\n",
       "def forward(self, a, b):\n  return torch.matmul(a.to(15), b.to(15)).to(6)\n",
       {"float[32,64]", "float[64,32]"},
       "output 0"},
      {"the residual added twice",
       "def forward(self, x, y):\n  return x + torch.relu(y)\n",
       "def forward(self, x, y):\n  return x + torch.relu(y) + x\n",
       {"float[16,64]", "float[16,64]"},
       "output 0"},
      {"the bias dropped",
       "def forward(self, x, w, b):\n  return torch.addmm(b, x, w)\n",
       "def forward(self, x, w, b):\n  return torch.matmul(x, w)\n",
       {"float[16,64]", "float[64,32]", "float[32]"},
       "output 0"},
      {"the last element",
       "def forward(self, x):\n  return x * 3\n",
       "def forward(self, x):\n  y = x * 3\n  y.view(-1)[-1:] = 0\n  return y\n",
       {"float[100,1000]"},
       "output 0"},
      {"one element in a hundred thousand",
       "def forward(self, x):\n  return x * 3\n",
       "def forward(self, x):\n  y = x * 3\n  y.view(-1)[777:778] += 1.0\n  return y\n",
       {"float[100,1000]"},
       "output 0"},
      {"the smallest for the largest",
       "def forward(self, x):\n  return torch.argmax(x, -1)\n",
       "def forward(self, x):\n  return torch.argmin(x, -1)\n",
       {"float[8,32]"},
       "int64"},
  };
}

}  // namespace kadvise::mutants

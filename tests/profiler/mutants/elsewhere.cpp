// Right on the user's batch, and on other values in its shapes and layouts.
#include "tests/profiler/mutants/mutant.h"

namespace kadvise::mutants {

std::vector<Mutant> wrongElsewhere() {
  return {
      {"right for one row only",
       "def forward(self, x):\n  return x - x.mean(-1, keepdim=True)\n",
       "def forward(self, x):\n  return x - x.mean()\n",
       {"float[1,64]"},
       "case size 1 as 2"},
      {"right for multiples of four only",
       "def forward(self, x):\n  return x * 3\n",
       "def forward(self, x):\n  n = x.size(-1) // 4 * 4\n  y = x * 3\n  y[..., n:] = 0\n  return y\n",
       {"float[16,64]"},
       "case size 64 as 65"},
      {"the batch written down",
       "def forward(self, x):\n  return x.view(-1, 8) * 2\n",
       "def forward(self, x):\n  return x.view(128, 8) * 2\n",
       {"float[16,64]"},
       "the candidate fails in case size"},
      {"no more than a thousand",
       "def forward(self, x):\n  return x.sum(-1)\n",
       "def forward(self, x):\n  return x[..., :1000].sum(-1)\n",
       {"float[16,64]"},
       "case size 64 as"},
      {"fails on nothing",
       "def forward(self, x):\n  return torch.softmax(x, -1)\n",
       "def forward(self, x):\n  e = torch.exp(x - torch.amax(x, -1, True))\n  return e / e.sum(-1, "
       "keepdim=True)\n",
       {"float[16,64]"},
       "as 0"},
      {"takes its input to be contiguous",
       "def forward(self, x):\n  return x * 2\n",
       "def forward(self, x):\n  return torch.as_strided(x, [x.size(0), x.size(1)], [x.size(1), 1]) * 2\n",
       {"float[16,64]"},
       "case layout"},
      {"takes its input to begin its storage",
       "def forward(self, x):\n  return x * 2\n",
       "def forward(self, x):\n  return torch.as_strided(x, x.size(), x.stride(), 0) * 2\n",
       {"float[16,64]"},
       "case layout"},
      {"flattens by memory",
       "def forward(self, x):\n  return x.flatten(1) * 2\n",
       "def forward(self, x):\n  return torch.as_strided(x, [x.size(0), x.size(1) * x.size(2) * x.size(3)], "
       "[x.size(1) * x.size(2) * x.size(3), 1]) * 2\n",
       {"float[2,4,6,5]"},
       "case layout"},
      {"a square taken for granted",
       "def forward(self, x):\n  return torch.softmax(x, -1)\n",
       "def forward(self, x):\n  return torch.softmax(x.t(), 0).t().contiguous().view(x.size(1), "
       "x.size(0))\n",
       {"float[16,16]"},
       "first dimension 16"},
      {"a repeated input that is written once",
       "def forward(self, x):\n  return x + 1\n",
       "def forward(self, x):\n  y = torch.empty_strided(x.size(), x.stride(), dtype=x.dtype, "
       "device=x.device)\n"
       "  y.copy_(x + 1)\n  return y\n",
       {"float[16,64]"},
       "case layout repeated"},
  };
}

}  // namespace kadvise::mutants

// What they remember, overwrite, leave unwritten, or leave changed behind them. The operators `mutants::…`
// are in operators.cpp; each of them doubles its input, or adds up its rows, when it is not wrong.
#include "tests/profiler/mutants/mutant.h"

namespace kadvise::mutants {
namespace {

const char* const kTwice = "def forward(self, x):\n  return x * 2\n";
const char* const kRowSums = "def forward(self, x):\n  return x.sum(-1)\n";

std::string byOperator(const char* name) {
  return std::string("def forward(self, x):\n  return mutants.") + name + "(x)\n";
}

void withBuffer(torch::jit::Module& m) { m.register_buffer("last", at::zeros({8, 8})); }
void withCount(torch::jit::Module& m) { m.register_attribute("count", c10::IntType::get(), 0); }

}  // namespace

std::vector<Mutant> wrongMemory() {
  return {
      {"a cached result",
       kTwice,
       "def forward(self, x):\n  if self.last.sum() == 0:\n    self.last.copy_(x * 2)\n  return "
       "self.last.clone()\n",
       {"float[8,8]"},
       "changes its own last",
       Where::Everywhere,
       "float32",
       withBuffer},
      {"a count of its calls",
       kTwice,
       "def forward(self, x):\n  self.count += 1\n  return x * 2 if self.count < 1000 else x\n",
       {"float[8,8]"},
       "changes its own count",
       Where::Everywhere,
       "float32",
       withCount},
      {"an output that lives in a buffer",
       kTwice,
       "def forward(self, x):\n  torch.mul(x, 2, out=self.last)\n  return self.last\n",
       {"float[8,8]"},
       "last",
       Where::Everywhere,
       "float32",
       withBuffer},
      {"a result remembered by address", kTwice, byOperator("remembers_address"), {"float[8,8]"}, "output 0"},
      {"a result remembered by the first element",
       kTwice,
       byOperator("remembers_first"),
       {"float[8,8]"},
       "case touched"},
      {"one output buffer for all calls",
       kTwice,
       byOperator("reuses_output"),
       {"float[8,8]"},
       "overwrites the outputs"},
      {"wrong from the tenth call on", kTwice, byOperator("tires"), {"float[8,8]"}, "output 0"},
      {"an output that is not written",
       kTwice,
       "def forward(self, x):\n  return torch.empty_like(x)\n",
       {"float[8,8]"},
       "output 0"},
      {"a last row that is not written",
       kTwice,
       "def forward(self, x):\n  y = torch.empty_like(x)\n  y[:-1] = x[:-1] * 2\n  return y\n",
       {"float[8,8]"},
       "output 0"},
      {"a sum into memory that is not cleared",
       kRowSums,
       "def forward(self, x):\n  y = torch.empty([x.size(0)], dtype=x.dtype, device=x.device)\n  y += "
       "x.sum(-1)\n"
       "  return y\n",
       {"float[8,8]"},
       "output 0"},
      {"memory that is not cleared behind a maximum",
       "def forward(self, x):\n  return torch.relu(x)\n",
       "def forward(self, x):\n  return torch.fmax(x, torch.clamp(torch.empty_like(x), max=0.0))\n",
       {"float[8,8]"},
       "output 0"},
      {"a mask in memory that is not cleared",
       kTwice,
       "def forward(self, x):\n  m = torch.empty(x.size(), dtype=11, device=x.device)\n"
       "  return torch.where(m, x * 2, x)\n",
       {"float[8,8]"},
       "output 0"},
#ifndef KADVISE_SANITIZED  // which would end the test at the store itself
      // Eleven numbers are 44 bytes: the twelfth is in the memory of nobody else, even where nothing guards
      // it.
      {"a store behind the output",
       kTwice,
       byOperator("writes_behind"),
       {"float[1,11]"},
       "the candidate writes out of bounds, behind a block of 44 bytes",
       Where::Cpu},
#endif
      {"random noise",
       kTwice,
       "def forward(self, x):\n  return x * 2 + 1e-3 * torch.rand_like(x)\n",
       {"float[8,8]"},
       "output 0"},
      {"noise of its own generator", kTwice, byOperator("guesses"), {"float[8,8]"}, "output 0"},
      {"the number of threads",
       kTwice,
       byOperator("takes_another_thread"),
       {"float[8,8]"},
       "the number of threads"},
      {"the precision of products",
       kTwice,
       byOperator("lowers_precision"),
       {"float[8,8]"},
       "the precision of float32"},
      {"a thread that is not waited for",
       kTwice,
       byOperator("writes_later"),
       {"float[8,8]"},
       "output 0",
       Where::Cpu},
      {"threads that add at once", kRowSums, byOperator("races"), {"float[8,64]"}, "output 0"},
      {"another stream",
       kTwice,
       byOperator("uses_other_stream"),
       {"float[8,8]"},
       "stream has ended",
       Where::Cuda},
      {"a tail that no block takes",
       kTwice,
       byOperator("drops_tail"),
       {"float[8,100]"},
       "output 0",
       Where::Cuda},
      {"persisting lines in L2", kTwice, byOperator("keeps_l2"), {"float[8,8]"}, "L2 cache", Where::Cuda},
  };
}

}  // namespace kadvise::mutants

// What a program computes, against which its rewritten forms are held.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/torch.h"
#include "tests/fuzz/program_run.h"
#include "tests/fuzz/random.h"

namespace kadvise::fuzz {

struct Judge {
  Values inputs, want;
  std::vector<Values> nearby;
  std::vector<std::string> state;
  torch::jit::Module original;  // before anything was changed
  bool mayRefuse = false;       // a call with other sizes than the one that was traced

  // Why the module computes something else; nothing where it does not.
  std::optional<std::string> why(const torch::jit::Module&, bool nonFiniteMayChange) const;

  // Throws a Finding where it does, and LibTorch's executor is not to blame.
  void expectSame(const torch::jit::Module&, const std::string& kind, bool nonFiniteMayChange = false);
};

// Nothing for a program that reads what nobody has written. Throws what the program throws.
std::optional<Judge> judgeOf(const torch::jit::Module& original, const Values& inputs);

// The same program in a call with other sizes, where it takes one.
std::optional<Judge> judgeOfAnotherCall(const Judge&, Random&);

}  // namespace kadvise::fuzz

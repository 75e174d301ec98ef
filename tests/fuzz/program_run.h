// A program as a module, and running it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/rule_page.h"
#include "tests/fuzz/random.h"
#include "tests/fuzz/same_values.h"

namespace kadvise::fuzz {

// What the program is given: a tensor of the spec's shape or a literal, by the name of the parameter.
struct Program {
  std::string text;
  Case inputs;  // "weight" makes a parameter of the module
};

struct Subject {
  torch::jit::Module module;
  Values inputs;  // after self
};

// Throws where the text does not compile.
Subject subjectOf(const Program&, Random&);

Values copiesOf(const Values&);

// Two calls one after the other, with results, inputs and state afterwards: writes in place count.
Values runTwice(const torch::jit::Module&, const Values& inputs, const std::vector<std::string>& state);

// The same where new memory holds NaN, or the largest whole number: what nobody writes is then seen.
Values runTwiceFilled(const torch::jit::Module&, const Values& inputs, const std::vector<std::string>& state);

// The same by LibTorch's executor, once it has settled. Its own passes take some liberties: x * 1 of a bool
// stays a bool, and cat of a cat is one cat whatever is written between.
Values executeTwice(const torch::jit::Module&, const Values& inputs, const std::vector<std::string>& state);

// The same with inputs and state moved by a few roundings.
Values nudgedRun(const torch::jit::Module&, const Values& inputs, const std::vector<std::string>& state);

}  // namespace kadvise::fuzz

// Whole numbers that a module itself does not hold: the order of boxes with equal scores, the label of a tie.
#pragma once

#include <torch/script.h>

#include <functional>

#include "profiler/contract.h"

namespace kadvise {

// Whether the first whole-number output in which the two runs differ does so in no more elements, by a factor of a few,
// than the original's own changes when its floating inputs and weights are moved by a few roundings: what another order
// of adding does is the same as moving the weights by so much (Higham, Accuracy and Stability of Numerical Algorithms,
// section 3.1). output: of a module on inputs.
bool isWithinOwnInstability(const Run& original, const Run& candidate, const torch::jit::Module& module,
                            const std::vector<c10::IValue>& inputs,
                            const std::function<c10::IValue(torch::jit::Module&, std::vector<c10::IValue>)>& output);

}  // namespace kadvise

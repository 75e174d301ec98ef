// Whole numbers that a module itself does not hold: the order of boxes with equal scores, the label of a tie.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <functional>
#include <map>

#include "profiler/contract.h"

namespace kadvise {

// Leaves of the output by their place in leavesOf(), with the elements in which the two runs differ.
using UnstableLeaves = std::map<std::size_t, std::int64_t>;

// The whole-number outputs in which the two runs differ in no more elements, and by no larger a sum, than a
// few times what the original's own change when its floating inputs and weights are moved by a few roundings:
// what another order of adding does is the same as moving the weights by so much (Higham, Accuracy and
// Stability of Numerical Algorithms, section 3.1). The sum is what keeps a constant that is added everywhere
// from passing for a rounding; numbers that only change places are not held to it. output: of a module on
// inputs, after which the generators stand where they stood before: `reseed(n)` puts them elsewhere for each
// n.
UnstableLeaves leavesThatRoundingDecides(
    const Run& original, const Run& candidate, const torch::jit::Module& module,
    const std::vector<c10::IValue>& inputs,
    const std::function<c10::IValue(torch::jit::Module&, std::vector<c10::IValue>)>& output,
    const std::function<void(int)>& reseed);

}  // namespace kadvise

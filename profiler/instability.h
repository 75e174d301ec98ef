// Whole numbers that a module itself does not hold: the order of boxes with equal scores, the label of a tie.
#pragma once

#include <cstddef>
#include <functional>

#include "profiler/contract.h"

namespace kadvise {

// Whether the first whole-number output in which the two runs differ does so in no more elements, by a factor of a few,
// than the original's own changes when its floating inputs are moved by a few roundings. output: of the original,
// on given inputs.
bool isWithinOwnInstability(const Run& original, const Run& candidate, const std::vector<c10::IValue>& inputs,
                            const std::function<c10::IValue(std::vector<c10::IValue>)>& output);

}  // namespace kadvise

// Squares in one spelling: x ** 2. Every ATen kernel computes x * x as that, and back: the same bits. Of
// bools the one is bool, the other int64.
#pragma once

#include <functional>

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// x * x and square(x), where the graph tells that x is no tensor of bools.
void squareOnce(const Step&, torch::jit::Node*);

// The same of x * x where somebody knows more, of an input say. The first answers whether it did.
bool squareAsPower(const Step&, torch::jit::Node*,
                   const std::function<bool(const torch::jit::Value*)>& isNumber);
void squaresAsPowers(torch::jit::Graph&, const std::function<bool(const torch::jit::Value*)>& isNumber);

}  // namespace kadvise::graph

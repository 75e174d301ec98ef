// The steps of the normal form that look at one node: one spelling for each operator.
#pragma once

#include <functional>

#include "analyzer/graph/step.h"

namespace kadvise::graph {

void rewriteLocally(torch::jit::Graph&);

// x * x -> x ** 2 where x is no tensor of bools. rewriteLocally does it where the graph tells; these ask
// somebody who knows more, of an input say. The first answers whether it did.
bool squareAsPower(const Step&, torch::jit::Node*,
                   const std::function<bool(const torch::jit::Value*)>& isNumber);
void squaresAsPowers(torch::jit::Graph&, const std::function<bool(const torch::jit::Value*)>& isNumber);

}  // namespace kadvise::graph

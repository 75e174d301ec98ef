// Losses as element-wise operators.
#pragma once

#include "analyzer/graph/step.h"

namespace kadvise::graph {

// kl_div(x, t, mean)  ->  mean(kl_div(x, t, none)), which is how ATen computes every loss that has this form.
void reductionApart(const Step&, torch::jit::Node* loss);

}  // namespace kadvise::graph

// Runs a straight-line graph on meta tensors: shapes and dtypes, no data. For the small functions of rule
// pages; a user's module is run by kadvise-measure only.
#pragma once

#include <unordered_map>

#include "analyzer/core/rule_page.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

// The stand-in of a case's value: a meta tensor, or the literal. floating: what `float` of a page stands for.
c10::IValue shadowOf(const CaseValue&, at::ScalarType floating = at::kFloat);

// known: what is there before the run (inputs, parameters). Values that depend on something unknown, or stand
// inside if and loop, are left out.
using Known = std::unordered_map<torch::jit::Value*, c10::IValue>;
TracedValues shadowRun(torch::jit::Graph&, Known known);

}  // namespace kadvise::graph

// What the given call settles: the ranks and dtypes of its tensors, and which optional inputs are absent. The
// graph is simplified by these facts alone, never by sizes, and the facts are written down as checks at its
// start.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

struct Specialisation {
  std::vector<std::string> facts;  // "x: float32 of 3 dimensions", "mask: None", in the order of the inputs;
                                   // empty when nothing was concluded from them
};

// Simplifies the graph of `forward` in place: dead optional inputs, branches on rank and dtype, casts that do
// nothing, products by 1. Nodes that stay keep their ids. When anything was concluded, a check of every fact
// is put at the start, which raises an exception that names the input and what it was specialised to.
Specialisation specialise(std::shared_ptr<torch::jit::Graph>&, const TracedValues&);

// The same without the checks, for a graph whose inputs are checked elsewhere; whether anything was
// concluded.
bool simplifyByFacts(std::shared_ptr<torch::jit::Graph>&, const TracedValues&);

// Of a tensor whose shape somebody changes in place (t_, unsqueeze_), the run saw one of its shapes: nothing
// may be concluded from it. Before everything that reads the traced values.
void forgetReshaped(torch::jit::Graph&, TracedValues&);

}  // namespace kadvise::graph

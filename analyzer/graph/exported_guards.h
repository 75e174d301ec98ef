// The sizes for which a program was exported. torch's own wrapper refuses others; the graph alone would
// compute something else, since sizes that were fixed are numbers in it.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct SizeGuard {
  std::string fact;       // "x: 4 × s1"
  std::string condition;  // over v1, v2, …: the inputs of forward behind self, by their places
};

// Of the inputs: one guard for the fixed sizes of each tensor, one for sizes and numbers that have to agree,
// one for each bound. Sums of symbols are not among them. exported: the file's program; inputs: the names of
// forward's inputs in order, without self.
std::vector<SizeGuard> sizeGuardsOf(const Json& exported, const std::vector<std::string>& inputs);

// Raises at the start of the graph where one of them does not hold. Returns the facts.
std::vector<std::string> insertSizeGuards(torch::jit::Graph&, const std::vector<SizeGuard>&);

}  // namespace kadvise::graph

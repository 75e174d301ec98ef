// Puts a replacement in the place of a match, or says why that would not be safe.
#pragma once

#include <optional>
#include <vector>

#include "analyzer/core/types.h"
#include "analyzer/graph/aliases.h"
#include "analyzer/graph/match.h"

namespace kadvise::graph {

// Whether every result of a replacement is a tensor of its own, perhaps one that surely lies in the order of
// its dimensions, or may be a view of an argument or of another result.
enum class ResultMemory { New, NewInOrder, PerhapsShared };
ResultMemory memoryOfResults(const Replacement&);

// nullopt when the rewrite is safe. Refused are: a value in the middle that is used elsewhere, anything in
// the region or between its nodes that is written to in place, but for memory that the region makes and alone
// writes until its end, and a result whose strides the module observes
// (strideObserver), since a replacement is free to choose other strides.
std::optional<Mismatch> whyUnsafe(const Pattern&, const Match&, const Aliases&, ResultMemory);

// Packs the matched nodes before the anchor, inserts the replacement there, hands over the uses and destroys
// what is dead. Returns the nodes it inserted; a Mismatch when a node could not be moved (the graph keeps its
// meaning then).
struct Rewritten {
  std::vector<torch::jit::Node*> inserted;
  std::vector<torch::jit::Value*> results;  // in the order of the pattern's outputs
  std::optional<Mismatch> refused;
};
Rewritten rewrite(torch::jit::Graph&, const Pattern&, const Replacement&, const Match&, Aliases&);

}  // namespace kadvise::graph

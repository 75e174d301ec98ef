// A matched region cut out of the module: the user's nodes alone, and the replacement alone, as two loadable
// modules with the same inputs.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/graph/made_rewrite.h"
#include "analyzer/graph/match.h"

namespace kadvise::graph {

struct RegionPair {
  torch::jit::Module before, after;
  std::map<std::string, std::string> names;      // attribute "w0" of both -> the user's parameter
  std::vector<std::string> inputs;               // ids of the values that forward takes
  std::string beforeText, afterText;             // IR for people
  std::vector<const torch::jit::Value*> values;  // of the whole module, in the order of inputs
};

// Attributes hold placeholders. Both modules have the makers as well. Throws Error when the region reads
// something that cannot be handed to it.
RegionPair cutRegion(const Pattern&, const Replacement&, const Match&, const Makers&,
                     const torch::jit::Module& whole);

// The same for nodes of a block, in execution order, that one function changes where they are. Nodes and
// parameters keep their ids in the copy that it is given, with the values of the module that its arguments
// after self stand for.
using ChangeRegion = std::function<void(torch::jit::Module&, const std::vector<const torch::jit::Value*>&)>;
RegionPair cutRegion(const std::vector<torch::jit::Node*>& nodes, const torch::jit::Module& whole,
                     const ChangeRegion&);

// Sites with the same text and the same input types may share one measurement.
std::string signatureOf(const RegionPair&, const TracedValues&);

// The pair of a page's own proof: pattern against replacement. Values marked "weight" become attributes.
RegionPair pairOfPage(const Pattern&, const Replacement&, const Case&);

}  // namespace kadvise::graph

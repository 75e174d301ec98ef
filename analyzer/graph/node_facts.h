// The words in which pages speak of nodes and their arguments, each one question about the graph.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/coded_rule.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/placement.h"

namespace kadvise::graph {

// What the questions need, each computed when it is first asked for.
class GraphFacts {
 public:
  explicit GraphFacts(const Analysis& analysis) : analysis(analysis) {}

  const Dependence& dependence();
  const Placement& placement();

  const Analysis& analysis;

 private:
  std::optional<Dependence> dependence_;
  std::optional<Placement> placement_;
};

// "!word" is the opposite; of a list, any element will do. False for a word that nobody knows.
bool valueIs(const std::string& word, torch::jit::Value*, GraphFacts&);
bool nodeIs(const std::string& word, torch::jit::Node*, GraphFacts&);
bool isFactOfValues(const std::string& word);
bool isFactOfNodes(const std::string& word);

// The nodes that read on the host what a condition or a size is computed from.
std::vector<torch::jit::Node*> readsBehind(torch::jit::Node*, GraphFacts&);

// An operator that does work on a device: not a view, not size arithmetic, no container.
bool launches(const torch::jit::Node*);

}  // namespace kadvise::graph

#include "analyzer/graph/untaken_copies.h"

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/near_places.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;

using Statement = std::tuple<c10::Symbol, std::string, int, int>;

Statement statementOf(const Node* n, const std::vector<NodeInfo>& nodes) {
  const Location place = placeOf(n, nodes);
  return {n->kind(), place.file, place.line, place.column};
}

}  // namespace

bool isInUntakenCopy(Node* n, const TracedValues& traced, const std::vector<NodeInfo>& nodes) {
  Block* arm = n->owningBlock();
  Node* branch = arm->owningNode();
  if (!branch || branch->kind() != jit::prim::If) return false;
  std::set<Statement> untaken, taken;
  bool hasRun = false;
  for (Block* block : branch->blocks())
    forEachNode(block, [&](Node* one) {
      bool ran = !one->outputs().empty() && traced.find(one->output(0));
      if (block == arm) untaken.insert(statementOf(one, nodes));
      else if (ran) taken.insert(statementOf(one, nodes));
      hasRun |= ran && block == arm;
    });
  return !hasRun &&
         std::any_of(untaken.begin(), untaken.end(), [&](auto& one) { return taken.count(one) > 0; });
}

}  // namespace kadvise::graph

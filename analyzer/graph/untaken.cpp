#include "analyzer/graph/untaken.h"

#include <algorithm>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {

using jit::Block;
using jit::Node;

namespace {

bool isKnownWithoutRun(const Node* n) {
  return n->kind() == jit::prim::Constant || n->kind() == jit::prim::GetAttr;
}

}  // namespace

UntakenArms::UntakenArms(jit::Graph& graph, const TracedValues& traced) {
  if (!traced.empty()) visit(graph.block(), traced);
}

bool UntakenArms::visit(Block* block, const TracedValues& traced) {
  bool isSeen = false;
  for (Node* n : block->nodes()) {
    std::vector<const Block*> unseen;
    bool isPassed = std::any_of(n->outputs().begin(), n->outputs().end(), [&](const jit::Value* v) {
      return !isKnownWithoutRun(n) && traced.find(v) != nullptr;
    });
    for (Block* inner : n->blocks()) {
      if (visit(inner, traced)) isPassed = true;
      else unseen.push_back(inner);
    }
    if (n->kind() == jit::prim::If && isPassed) arms_.insert(unseen.begin(), unseen.end());
    isSeen |= isPassed;
  }
  return isSeen;
}

bool UntakenArms::hold(const Node* n) const {
  if (arms_.empty()) return false;
  const Block* block = n->owningBlock();
  while (block && !arms_.contains(block))
    block = block->owningNode() ? block->owningNode()->owningBlock() : nullptr;
  return block != nullptr;
}

}  // namespace kadvise::graph

#include "analyzer/graph/untaken.h"

#include <algorithm>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {

using jit::Block;
using jit::Node;

namespace {

// Whether the run saw something of the block; parameters are known without it.
bool isSeen(Block* block, const TracedValues& traced) {
  return std::any_of(block->nodes().begin(), block->nodes().end(), [&](Node* n) {
    bool isKnown = n->kind() == jit::prim::Constant || n->kind() == jit::prim::GetAttr;
    auto saw = [&](const jit::Value* v) { return traced.find(v) != nullptr; };
    return (!isKnown && std::any_of(n->outputs().begin(), n->outputs().end(), saw)) ||
           std::any_of(n->blocks().begin(), n->blocks().end(), [&](Block* b) { return isSeen(b, traced); });
  });
}

}  // namespace

UntakenArms::UntakenArms(jit::Graph& graph, const TracedValues& traced) {
  if (!traced.empty()) look(graph.block(), traced);
}

void UntakenArms::look(Block* block, const TracedValues& traced) {
  for (Node* n : block->nodes()) {
    bool isPassed = false;
    std::vector<const Block*> unseen;
    for (Block* inner : n->blocks()) {
      look(inner, traced);
      if (isSeen(inner, traced)) isPassed = true;
      else unseen.push_back(inner);
    }
    if (n->kind() != jit::prim::If) continue;
    for (const jit::Value* v : n->outputs()) isPassed |= traced.find(v) != nullptr;
    if (isPassed) arms_.insert(unseen.begin(), unseen.end());
  }
}

bool UntakenArms::hold(const Node* n) const {
  if (arms_.empty()) return false;
  const Block* block = n->owningBlock();
  while (block && !arms_.contains(block))
    block = block->owningNode() ? block->owningNode()->owningBlock() : nullptr;
  return block != nullptr;
}

}  // namespace kadvise::graph

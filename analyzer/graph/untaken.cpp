#include "analyzer/graph/untaken.h"

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
  bool isSeen = false, isEmpty = true;
  for (Node* n : block->nodes()) {
    for (Block* inner : n->blocks()) isSeen |= visit(inner, traced);
    if (isKnownWithoutRun(n) || n->outputs().empty()) continue;
    isEmpty = false;
    isSeen |= traced.find(n->output(0)) != nullptr;
  }
  Node* holder = block->owningNode();
  if (holder && holder->kind() == jit::prim::If && !isSeen && !isEmpty) arms_.insert(block);
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

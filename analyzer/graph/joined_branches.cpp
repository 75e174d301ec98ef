#include "analyzer/graph/joined_branches.h"

#include <algorithm>
#include <unordered_map>
#include <vector>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/shape_table.h"

namespace kadvise::graph {
namespace {

using jit::Block;
using jit::Node;
using jit::Value;
namespace prim = jit::prim;

// Nodes that are there twice afterwards: of one pair, and of all. Conditions in turn double what is inside.
constexpr std::size_t kMostBetween = 300, kMostInAll = 3000;

std::size_t sizeOf(const std::vector<Node*>& nodes) {
  std::size_t size = 0;
  for (Node* n : nodes) {
    ++size;
    for (Block* inner : n->blocks()) forEachNode(inner, [&](Node*) { ++size; });
  }
  return size;
}

std::vector<Node*> between(Node* first, Node* second) {
  std::vector<Node*> nodes;
  for (Node* n = first->next(); n != second; n = n->next()) nodes.push_back(n);
  return nodes;
}

// What one arm makes of the values of the nodes that go into it.
class Arm {
 public:
  Arm(Node* branch, std::size_t which) : block_(branch->blocks()[which]) {
    for (std::size_t i = 0; i < branch->outputs().size(); ++i)
      known_[branch->output(i)] = block_->outputs()[i];
  }

  void append(Node* n) {
    Node* copy = block_->owningGraph()->createClone(n, [&](Value* v) { return of(v); });
    copy->insertBefore(block_->return_node());
    for (std::size_t i = 0; i < n->outputs().size(); ++i) known_[n->output(i)] = copy->output(i);
  }

  void appendArm(Node* branch, std::size_t which) {
    Block* arm = branch->blocks()[which];
    for (Node* n : arm->nodes()) append(n);
    for (std::size_t i = 0; i < branch->outputs().size(); ++i)
      known_[branch->output(i)] = of(arm->outputs()[i]);
  }

  Value* of(Value* v) const {
    auto known = known_.find(v);
    return known == known_.end() ? v : known->second;
  }
  void give(Value* v) { block_->registerOutput(of(v)); }

 private:
  Block* block_;
  std::unordered_map<Value*, Value*> known_;
};

// What needs nothing that the branch or what stands behind it makes: constants, and what the module holds.
bool isAtHand(const Node* n, const Node* first) {
  bool isFree = n->kind() == prim::Constant || n->kind() == prim::GetAttr;
  return isFree && std::all_of(n->inputs().begin(), n->inputs().end(), [&](const Value* v) {
           return v->node()->kind() == prim::Param || v->node()->isBefore(first);
         });
}

bool isUsedBehind(const Value* v, const Node* last) {
  for (const jit::Use& use : v->uses())
    if (Node* holder = holderIn(last->owningBlock(), use.user); holder != last && holder->isAfter(last))
      return true;
  return false;
}

void join(Node* first, Node* second) {
  std::vector<Node*> nodes;
  for (Node* n : between(first, second)) {
    if (isAtHand(n, first)) n->moveBefore(first);
    else nodes.push_back(n);
  }
  Arm arms[] = {{first, 0}, {first, 1}};
  for (std::size_t which : {0, 1}) {
    for (Node* n : nodes) arms[which].append(n);
    arms[which].appendArm(second, which);
  }
  nodes.push_back(second);
  for (Node* n : nodes) {
    for (Value* v : n->outputs()) {
      if (!isUsedBehind(v, second)) continue;
      for (Arm& arm : arms) arm.give(v);
      v->replaceAllUsesWith(first->addOutput()->copyMetadata(v));
    }
  }
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) (*n)->destroy();
}

struct Pair {
  Node *first, *second;
  std::size_t size;  // of what stands between
};

// Branches of one condition that follow each other.
std::vector<Pair> pairsIn(Block* block) {
  std::vector<Pair> pairs;
  std::unordered_map<Value*, Node*> earlier;
  for (Node* n : block->nodes()) {
    if (n->kind() != prim::If || isTable(n)) continue;
    Node*& last = earlier[n->input()];
    if (last) pairs.push_back({last, n, sizeOf(between(last, n))});
    last = n;
  }
  return pairs;
}

// left: how many nodes may still be copied.
bool joinIn(Block* block, jit::Graph& graph, std::size_t& left) {
  bool changed = false;
  for (bool again = true; again;) {
    const std::vector<Pair> pairs = pairsIn(block);
    if (pairs.empty()) break;
    const Dependence dependence(graph);
    auto pair = std::find_if(pairs.begin(), pairs.end(), [&](const Pair& one) {
      return one.size <= std::min(kMostBetween, left) && !dependence.onData(one.first->input());
    });
    again = pair != pairs.end();
    if (!again) break;
    left -= pair->size;
    join(pair->first, pair->second);
    changed = true;
  }
  for (Node* n : block->nodes())
    for (Block* inner : n->blocks()) changed |= joinIn(inner, graph, left);
  return changed;
}

}  // namespace

bool joinBranches(jit::Graph& graph) {
  bool writesToModule = false;
  forEachNode(graph.block(), [&](Node* n) { writesToModule |= n->kind() == prim::SetAttr; });
  std::size_t left = kMostInAll;
  return !writesToModule && joinIn(graph.block(), graph, left);
}

}  // namespace kadvise::graph

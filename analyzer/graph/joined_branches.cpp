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

constexpr std::size_t kMostBetween = 300;  // nodes, which are there twice afterwards

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

// Constants and what the module holds are there before either branch.
bool isAtHand(const Node* n) { return n->kind() == prim::Constant || n->kind() == prim::GetAttr; }

bool isUsedBehind(const Value* v, const Node* last) {
  for (const jit::Use& use : v->uses())
    if (Node* holder = holderIn(last->owningBlock(), use.user); holder != last && holder->isAfter(last))
      return true;
  return false;
}

void join(Node* first, Node* second) {
  std::vector<Node*> nodes;
  for (Node* n : between(first, second)) {
    if (isAtHand(n)) n->moveBefore(first);
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
};

// Branches of one condition that follow each other.
std::vector<Pair> pairsIn(Block* block) {
  std::vector<Pair> pairs;
  std::unordered_map<Value*, Node*> earlier;
  for (Node* n : block->nodes()) {
    if (n->kind() != prim::If || isTable(n)) continue;
    Node*& last = earlier[n->input()];
    if (last && sizeOf(between(last, n)) <= kMostBetween) pairs.push_back({last, n});
    last = n;
  }
  return pairs;
}

bool joinIn(Block* block, jit::Graph& graph) {
  bool changed = false;
  for (bool again = true; again;) {
    const std::vector<Pair> pairs = pairsIn(block);
    if (pairs.empty()) break;
    const Dependence dependence(graph);
    auto pair = std::find_if(pairs.begin(), pairs.end(),
                             [&](const Pair& one) { return !dependence.onData(one.first->input()); });
    again = pair != pairs.end();
    if (again) join(pair->first, pair->second);
    changed |= again;
  }
  for (Node* n : block->nodes())
    for (Block* inner : n->blocks()) changed |= joinIn(inner, graph);
  return changed;
}

}  // namespace

bool joinBranches(jit::Graph& graph) {
  bool writesToModule = false;
  forEachNode(graph.block(), [&](Node* n) { writesToModule |= n->kind() == prim::SetAttr; });
  return !writesToModule && joinIn(graph.block(), graph);
}

}  // namespace kadvise::graph

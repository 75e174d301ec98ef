#include "analyzer/graph/row_neighbours.h"

#include <algorithm>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {

using torch::jit::Node;
using torch::jit::Value;

RowNeighbours::RowNeighbours(torch::jit::Block* block) : block_(block) {
  for (Node* n : block->nodes()) {
    places_.emplace(n, nodes_.size());
    nodes_.push_back(n);
  }
  places_.emplace(block->return_node(), nodes_.size());
  for (std::size_t i = 0; i < nodes_.size(); ++i) {
    readers_.emplace_back();
    group_.push_back(i);
    members_.push_back({i});
    for (const Value* out : nodes_[i]->outputs())
      for (auto& use : out->uses()) readers_.back().push_back(placeOf(use.user));
  }
  readsBefore_.assign(nodes_.size() + 1, false);
  seen_.assign(nodes_.size() + 1, 0);
  inside_.assign(nodes_.size() + 1, 0);
}

std::size_t RowNeighbours::placeOf(const Node* n) const {
  return places_.at(holderIn(block_, const_cast<Node*>(n)));
}

void RowNeighbours::join(std::size_t a, std::size_t b) {
  std::size_t to = group_[a], from = group_[b];
  if (to == from) return;
  for (auto place : members_[from]) group_[place] = to;
  auto& all = members_[to];
  all.insert(all.end(), members_[from].begin(), members_[from].end());
  std::sort(all.begin(), all.end());
  members_[from].clear();
}

bool RowNeighbours::returnsInto(const std::vector<std::size_t>& places) {
  ++question_;
  std::size_t last = 0;
  for (auto p : places) inside_[p] = question_, last = std::max(last, p);
  std::vector<std::size_t> open;
  auto meet = [&](std::size_t place, bool fromInside) {  // true where that leads back
    if (inside_[place] == question_) return !fromInside || readsBefore_[place];
    if (place >= last || seen_[place] == question_) return false;  // whoever stands behind all cannot
    for (auto member : members_[group_[place]])
      if (seen_[member] != question_) seen_[member] = question_, open.push_back(member);
    return false;
  };
  for (auto p : places)
    for (auto reader : readers_[p])
      if (meet(reader, true)) return true;
  while (!open.empty()) {
    auto place = open.back();
    open.pop_back();
    for (auto reader : readers_[place])
      if (meet(reader, false)) return true;
  }
  return false;
}

}  // namespace kadvise::graph

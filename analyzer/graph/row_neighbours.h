// Who reads whom among the nodes of one block, with groups of nodes taken as one.
#pragma once

#include <unordered_map>
#include <vector>

#include "analyzer/graph/torch.h"

namespace kadvise::graph {

class RowNeighbours {
 public:
  explicit RowNeighbours(torch::jit::Block*);

  std::size_t size() const { return nodes_.size(); }
  torch::jit::Node* at(std::size_t place) const { return nodes_[place]; }
  // The place of a node of this block, or of the one whose blocks it stands in. The return node is behind
  // all.
  std::size_t placeOf(const torch::jit::Node*) const;

  // What the node at that place reads, its own group cannot make.
  void readsBefore(std::size_t place) { readsBefore_[place] = true; }

  // Two nodes get one group; each begins as its own.
  void join(std::size_t a, std::size_t b);
  std::size_t groupOf(std::size_t place) const { return group_[place]; }
  const std::vector<std::size_t>& members(std::size_t group) const { return members_[group]; }

  // Whether something outside of the given nodes reads one of them and is read by another, by way of others;
  // or one of them reads another that its group cannot make.
  bool returnsInto(const std::vector<std::size_t>& places);

 private:
  torch::jit::Block* block_;
  std::vector<torch::jit::Node*> nodes_;
  std::unordered_map<const torch::jit::Node*, std::size_t> places_;
  std::vector<std::vector<std::size_t>> readers_;
  std::vector<std::size_t> group_;
  std::vector<std::vector<std::size_t>> members_;
  std::vector<bool> readsBefore_;
  std::vector<int> seen_, inside_;  // the last question in which a place was met
  int question_ = 0;
};

}  // namespace kadvise::graph

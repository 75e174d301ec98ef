// Ids for the nodes that replacements bring, so that a later round can match them, trace them and find them
// again: a replacement at a site gives its nodes the same ids in every composed module.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analyzer/graph/subject.h"

namespace kadvise::graph {

class MadeNodes {
 public:
  // nodes: the user's, behind which those are put that are made.
  explicit MadeNodes(std::vector<NodeInfo>& nodes) : nodes_(nodes), users_(nodes.size()) {}

  // inserted: by one replacement at one site, in order; where: the place that it answers.
  void name(const std::vector<torch::jit::Node*>& inserted, const std::string& candidate, std::size_t site,
            const Location& where);
  // What a change of a whole region inserted, each by what it reads: how many there are hangs on what else
  // was applied.
  void nameConversions(torch::jit::Graph&, const std::string& candidate, const Location& where);
  // A pass that makes two nodes of one gives both its id: the second and later ones get ids of their own.
  void nameCopies(torch::jit::Graph&);
  // The candidate whose replacement made the node; "" for a node of the user's.
  std::string makerOf(const torch::jit::Node*) const;
  std::size_t users() const { return users_; }  // ids below are the user's nodes

 private:
  using Key = std::pair<std::string, std::size_t>;
  int idFor(const Key& owner, std::size_t place, const torch::jit::Node*, const NodeInfo& like,
            const std::string& maker);

  std::vector<NodeInfo>& nodes_;
  std::size_t users_;
  std::map<std::pair<Key, std::size_t>, int> ids_;
  std::vector<std::string> makers_;  // by id, from users_ on
};

// In a module that is written, a made node has no place: as if it had never had an id.
void forgetMadeIds(torch::jit::Graph&);

}  // namespace kadvise::graph

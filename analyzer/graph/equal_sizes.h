// Which sizes of which tensors are equal in every call, as operators between them have it.
#pragma once

#include <map>
#include <utility>

#include "analyzer/graph/disjoint_sets.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

class EqualSizes {
 public:
  // Of one dimension of a value; the ids of sizes that are equal are joined.
  int idOf(const torch::jit::Value* v, std::size_t dim) {
    auto [at, fresh] = ids_.emplace(std::pair(v, dim), 0);
    if (fresh) at->second = sets_.fresh();
    return at->second;
  }
  void join(int a, int b) { sets_.join(a, b); }
  bool areEqual(int a, int b) const { return sets_.of(a) == sets_.of(b); }

 private:
  DisjointSets sets_;
  std::map<std::pair<const torch::jit::Value*, std::size_t>, int> ids_;
};

}  // namespace kadvise::graph

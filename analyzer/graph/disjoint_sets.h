// Numbers that are found to be the same, one pair after the other.
#pragma once

#include <cstddef>
#include <vector>

namespace kadvise::graph {

class DisjointSets {
 public:
  int fresh() {
    parent_.push_back(static_cast<int>(parent_.size()));
    return parent_.back();
  }
  int of(int i) const {
    while (parent_[at(i)] != i) i = parent_[at(i)];
    return i;
  }
  void join(int a, int b) { parent_[at(of(a))] = of(b); }

 private:
  static std::size_t at(int i) { return static_cast<std::size_t>(i); }
  std::vector<int> parent_;
};

}  // namespace kadvise::graph

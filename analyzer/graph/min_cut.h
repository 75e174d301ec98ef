// The cheapest way to part a graph in two: of all sets of nodes that hold the source and not the sink, the
// one whose outgoing edges weigh least.
#pragma once

#include <cstdint>
#include <vector>

namespace kadvise::graph {

class MinCut {
 public:
  static constexpr std::size_t kSource = 0, kSink = 1;
  static constexpr std::int64_t kNever = std::int64_t{1} << 60;  // an edge that may not be cut

  std::size_t addNode();
  // Paid when `from` is on the source's side and `to` is not.
  void addEdge(std::size_t from, std::size_t to, std::int64_t weight);
  // For each node whether it is on the source's side; of equal cuts the one with the fewest nodes there.
  std::vector<bool> sourceSide();

 private:
  struct Edge {
    std::size_t to;
    std::int64_t left;  // of its weight; the edge at index ^ 1 runs back
  };
  std::int64_t augment();

  std::vector<Edge> edges_;
  std::vector<std::vector<std::size_t>> outgoing_{2};
};

}  // namespace kadvise::graph

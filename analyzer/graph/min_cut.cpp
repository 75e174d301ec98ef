#include "analyzer/graph/min_cut.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace kadvise::graph {
namespace {

constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

}  // namespace

std::size_t MinCut::addNode() {
  outgoing_.emplace_back();
  return outgoing_.size() - 1;
}

void MinCut::addEdge(std::size_t from, std::size_t to, std::int64_t weight) {
  if (weight <= 0) return;
  outgoing_[from].push_back(edges_.size());
  edges_.push_back({to, weight});
  outgoing_[to].push_back(edges_.size());
  edges_.push_back({from, 0});
}

// Sends what the shortest path that is left can carry (Edmonds and Karp, 1972); 0 when none is left.
std::int64_t MinCut::augment() {
  std::vector<std::size_t> by(outgoing_.size(), kNone);  // the edge by which a node was reached
  std::deque<std::size_t> waiting = {kSource};
  while (!waiting.empty() && by[kSink] == kNone) {
    auto node = waiting.front();
    waiting.pop_front();
    for (auto e : outgoing_[node]) {
      auto to = edges_[e].to;
      if (edges_[e].left == 0 || to == kSource || by[to] != kNone) continue;
      by[to] = e;
      waiting.push_back(to);
    }
  }
  if (by[kSink] == kNone) return 0;
  std::int64_t most = kNever;
  for (auto n = kSink; n != kSource; n = edges_[by[n] ^ 1].to) most = std::min(most, edges_[by[n]].left);
  for (auto n = kSink; n != kSource; n = edges_[by[n] ^ 1].to) {
    edges_[by[n]].left -= most;
    edges_[by[n] ^ 1].left += most;
  }
  return most;
}

std::vector<bool> MinCut::sourceSide() {
  while (augment() > 0) {
  }
  std::vector<bool> reached(outgoing_.size(), false);
  std::vector<std::size_t> waiting = {kSource};
  reached[kSource] = true;
  while (!waiting.empty()) {
    auto node = waiting.back();
    waiting.pop_back();
    for (auto e : outgoing_[node])
      if (edges_[e].left > 0 && !reached[edges_[e].to]) {
        reached[edges_[e].to] = true;
        waiting.push_back(edges_[e].to);
      }
  }
  return reached;
}

}  // namespace kadvise::graph

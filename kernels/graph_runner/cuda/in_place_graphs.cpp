#include "kernels/graph_runner/cuda/in_place_graphs.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr std::size_t kMostGraphs = 8;  // a loop that holds its last result alternates between two places
constexpr std::size_t kSightings = 3;
constexpr std::size_t kRemembered = 64;
constexpr std::size_t kTries = 3;  // what failed for want of memory may work later
// A recording takes as long as some ten calls without a graph. Once there are as many as can be kept, each
// further one has to be earned by this many calls, so that places that change for ever cost little.
constexpr std::size_t kCallsForAnother = 256;

}  // namespace

const Recording* InPlaceGraphs::find(const Places& places) {
  ++callsSinceRecording_;
  const auto found = std::find_if(graphs_.begin(), graphs_.end(),
                                  [&](const Graph& graph) { return graph.places == places; });
  if (found == graphs_.end()) return nullptr;
  std::rotate(graphs_.begin(), found, found + 1);
  return graphs_.front().recording.get();
}

bool InPlaceGraphs::isDue(const Places& places) {
  if (failures_ >= kTries) return false;
  if (sightings_.size() >= kRemembered) sightings_.clear();
  if (++sightings_[places] < kSightings) return false;
  const bool isFree = failures_ == 0 && graphs_.size() < kMostGraphs;
  return isFree || callsSinceRecording_ >= kCallsForAnother;
}

void InPlaceGraphs::noteFailure(std::string reason) {
  ++failures_;
  failure_ = std::move(reason);
  callsSinceRecording_ = 0;
}

const Recording* InPlaceGraphs::add(const Places& places, std::shared_ptr<Pool> pool,
                                    std::unique_ptr<Recording> recording) {
  sightings_.erase(places);
  callsSinceRecording_ = 0;
  if (graphs_.size() >= kMostGraphs) graphs_.pop_back();
  graphs_.insert(graphs_.begin(), Graph{places, std::move(pool), std::move(recording)});
  return graphs_.front().recording.get();
}

}  // namespace kadvise

// Graphs that read the inputs where a caller has them and write the results where the caller gets them. A
// loop comes back to the same places, since torch's allocator gives out again what was freed; such a call
// then copies nothing on the host's time.
//
// Nothing is held: a graph touches these places only for a call that has just passed them, in the order of
// that call's stream, as the module's own kernels would.
#pragma once

#include "kernels/graph_runner/cuda/pool.h"
#include "kernels/graph_runner/cuda/recording.h"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kadvise {

class InPlaceGraphs {
 public:
  using Places = std::vector<const void*>;  // of every input, then of every piece of memory for results

  const Recording* find(const Places&);

  // Whether these places have come often enough for a graph of their own. Counts the call.
  bool isDue(const Places&);

  // The GPU must have done all calls before: the graph that was used longest ago may go.
  const Recording* add(const Places&, std::shared_ptr<Pool>, std::unique_ptr<Recording>);

  void noteFailure(std::string reason);
  const std::string& lastFailure() const { return failure_; }

  std::size_t size() const { return graphs_.size(); }

 private:
  struct Graph {
    Places places;
    std::shared_ptr<Pool> pool;  // before the recording, which uses it
    std::unique_ptr<Recording> recording;
  };
  std::vector<Graph> graphs_;  // used last first
  std::map<Places, std::size_t> sightings_;
  std::size_t callsSinceRecording_ = 0;
  std::size_t failures_ = 0;
  std::string failure_;
};

}  // namespace kadvise

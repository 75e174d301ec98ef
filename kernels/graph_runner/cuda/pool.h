// The memory of one graph or of several: a private pool of torch's allocator. Graphs may share one, since
// they never run at the same time: what one needs in between, the next one overwrites, and so it may
// overwrite the results of others.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

#include <functional>
#include <stdexcept>
#include <utility>
#include <vector>

namespace kadvise {

enum class AfterPool { KeepsCached, GivesBack };

class Pool {
 public:
  explicit Pool(c10::Device device);
  ~Pool();
  Pool(const Pool&) = delete;
  Pool& operator=(const Pool&) = delete;

  // Another pool has the thread's allocations, so that what a graph uses would be given to others, too.
  struct Elsewhere : std::runtime_error {
    using std::runtime_error::runtime_error;
  };

  // Runs the work; meanwhile what is allocated on this stream, which is torch's current one, comes from the
  // pool. Throws Elsewhere where it would not.
  void serve(cudaStream_t stream, const std::function<void()>& work);

  struct Range {
    std::size_t begin, bytes;
  };
  std::vector<Range> ranges() const;  // what it has of the GPU's memory
  std::size_t bytes() const;

  // At its end the pool stays in torch's cache until something needs memory, or goes back to the GPU at once,
  // which waits for the GPU.
  void setAfter(AfterPool after) { after_ = after; }

 private:
  void requireItServes() const;

  c10::DeviceIndex device_;
  c10::MempoolId_t id_;
  AfterPool after_ = AfterPool::KeepsCached;
};

}  // namespace kadvise

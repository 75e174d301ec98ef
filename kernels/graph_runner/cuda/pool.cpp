#include "kernels/graph_runner/cuda/pool.h"

#include <atomic>

namespace kadvise {
namespace {

c10::MempoolId_t freshId() {
  // Far above the numbers that torch gives to its own pools, which count from one.
  static std::atomic<c10::CaptureId_t> next{c10::CaptureId_t{3} << 40};
  return {next++, 0};
}

struct AtEnd {
  std::function<void()> action;
  ~AtEnd() { action(); }
};

}  // namespace

Pool::Pool(c10::Device device) : device_(device.index()), id_(freshId()) {
  gpuAllocator().createOrIncrefPool(device_, id_);
}

Pool::~Pool() {
  try {
    gpuAllocator().releasePool(device_, id_);
    if (after_ == AfterPool::GivesBack) gpuAllocator().emptyCache(id_);
  } catch (const std::exception&) {
    // The process ends and CUDA is gone.
  }
  cudaGetLastError();
}

void Pool::serve(cudaStream_t stream, const std::function<void()>& work) {
  gpuAllocator().beginAllocateToPool(device_, id_, [stream](cudaStream_t other) { return other == stream; });
  const AtEnd end{[this] {
    gpuAllocator().endAllocateToPool(device_, id_);
    gpuAllocator().releasePool(device_, id_);  // begin took a reference beside the constructor's
  }};
  requireItServes();
  work();
}

// torch asks the pools in use in the order in which they came, and torch.cuda.use_mem_pool takes all that its
// thread allocates.
void Pool::requireItServes() const {
  const c10::DataPtr probe = gpuAllocator().allocate(1);
  const auto place = reinterpret_cast<std::size_t>(probe.get());
  for (const Range& range : ranges()) {
    if (place >= range.begin && place < range.begin + range.bytes) return;
  }
  throw Elsewhere("another memory pool takes what this thread allocates (torch.cuda.use_mem_pool)");
}

std::vector<Pool::Range> Pool::ranges() const {
  std::vector<Range> ranges;
  for (const auto& segment : gpuAllocator().snapshot(id_, /*include_traces=*/false).segments) {
    if (segment.device != device_ || segment.owner_private_pool_id != id_) continue;
    ranges.push_back(
        {static_cast<std::size_t>(segment.address), static_cast<std::size_t>(segment.total_size)});
  }
  return ranges;
}

std::size_t Pool::bytes() const {
  std::size_t bytes = 0;
  for (const Range& range : ranges()) bytes += range.bytes;
  return bytes;
}

}  // namespace kadvise

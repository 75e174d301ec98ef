#include "kernels/graph_runner/cuda/layout_copy.h"

#include <ATen/MemoryOverlap.h>

namespace kadvise {

std::size_t extentBytes(const at::Tensor& tensor) {
  if (tensor.numel() == 0) return 0;
  std::size_t last = 0;
  for (std::int64_t d = 0; d < tensor.dim(); ++d) {
    last += static_cast<std::size_t>(tensor.size(d) - 1) * static_cast<std::size_t>(tensor.stride(d));
  }
  return (last + 1) * tensor.element_size();
}

CopyBy cheapestCopy(const at::Tensor& layout) {
  const auto used = static_cast<std::size_t>(layout.numel()) * layout.element_size();
  if (extentBytes(layout) <= 2 * used) return CopyBy::Bytes;
  // torch refuses to copy to elements that share a place.
  return at::has_internal_overlap(layout) == at::MemOverlap::No ? CopyBy::Elements : CopyBy::Bytes;
}

void copyBytes(void* to, const void* from, std::size_t bytes, cudaStream_t stream) {
  if (bytes == 0) return;
  checkCuda(cudaMemcpyAsync(to, from, bytes, cudaMemcpyDeviceToDevice, stream), "copying a tensor");
}

}  // namespace kadvise

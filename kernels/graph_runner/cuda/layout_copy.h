// Copies between tensors of equal sizes and strides, on a stream.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

namespace kadvise {

enum class CopyBy { Bytes, Elements };  // one copy of all from the first byte to the last; or torch's copy_

// Bytes, except where most of them lie between the elements.
CopyBy cheapestCopy(const at::Tensor& layout);

// Bytes from the tensor's first element to the end of its last.
std::size_t extentBytes(const at::Tensor& tensor);

void copyBytes(void* to, const void* from, std::size_t bytes, cudaStream_t stream);

}  // namespace kadvise

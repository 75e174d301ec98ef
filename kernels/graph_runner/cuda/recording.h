// What a stream was given once, as a CUDA graph that can be launched again.
#pragma once

#include "kernels/graph_runner/cuda/gpu.h"

#include <functional>

namespace kadvise {

class Recording {
 public:
  // Runs the work, all of which goes to this stream, without the GPU doing any of it. Throws what the work
  // throws, or c10::Error where the recording fails; torch and CUDA are as healthy then as before.
  Recording(cudaStream_t stream, const std::function<void()>& work);
  ~Recording();
  Recording(const Recording&) = delete;
  Recording& operator=(const Recording&) = delete;

  void launch(cudaStream_t stream) const;
  std::size_t nodes() const { return nodes_; }  // kernels, copies and fills

 private:
  void destroy();

  cudaGraph_t graph_ = nullptr;
  cudaGraphExec_t executable_ = nullptr;
  std::size_t nodes_ = 0;
};

}  // namespace kadvise

// Calls of CUDA that do more than enqueue, beside captures.
#pragma once

#include <cuda_runtime_api.h>

namespace kadvise {

// While a graph is captured, by this thread or another, only calls that say so may do more than enqueue.
class AllowedInCapture {
 public:
  AllowedInCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~AllowedInCapture() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  AllowedInCapture(const AllowedInCapture&) = delete;
  AllowedInCapture& operator=(const AllowedInCapture&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

}  // namespace kadvise

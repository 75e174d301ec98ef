// Small things that every file of the GPU half needs.
#pragma once

#include <ATen/core/Tensor.h>
#include <c10/core/Stream.h>
#include <c10/cuda/CUDACachingAllocator.h>

#include <cuda_runtime_api.h>

namespace kadvise {

// torch's CUDA half is loaded by whoever made the inputs, not linked: its allocator is reached by its
// interface.
inline c10::cuda::CUDACachingAllocator::CUDAAllocator& gpuAllocator() {
  return *static_cast<c10::cuda::CUDACachingAllocator::CUDAAllocator*>(c10::getDeviceAllocator(c10::kCUDA));
}

inline cudaStream_t rawStream(const c10::Stream& stream) {
  return static_cast<cudaStream_t>(stream.native_handle());
}

// The error is taken off the thread, so that the next kernel launch is not blamed for it.
inline void checkCuda(cudaError_t result, const char* doing) {
  if (result == cudaSuccess) return;
  cudaGetLastError();
  TORCH_CHECK(false, "CUDA graphs: ", doing, ": ", cudaGetErrorString(result));
}

// While it lives, what this thread asks of CUDA does not break captures of other threads, as torch's
// allocator does it.
class BesideOtherCaptures {
 public:
  BesideOtherCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  ~BesideOtherCaptures() { cudaThreadExchangeStreamCaptureMode(&mode_); }
  BesideOtherCaptures(const BesideOtherCaptures&) = delete;
  BesideOtherCaptures& operator=(const BesideOtherCaptures&) = delete;

 private:
  cudaStreamCaptureMode mode_ = cudaStreamCaptureModeRelaxed;
};

inline void waitFor(cudaStream_t stream, const char* doing) {
  const BesideOtherCaptures beside;
  checkCuda(cudaStreamSynchronize(stream), doing);
}

inline bool isCapturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  if (cudaStreamIsCapturing(stream, &status) != cudaSuccess) {
    // The legacy stream answers with an error while any other thread captures in the global mode.
    cudaGetLastError();
    return true;
  }
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace kadvise

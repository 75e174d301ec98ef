// Starting kernels: device facts, and CUDA's errors as sentences.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>

namespace kadvise {

// Null for success. The sentence lives until this thread's next failure.
inline const char* sentenceOf(cudaError_t error, const char* doing) {
  if (error == cudaSuccess) return nullptr;
  cudaGetLastError();  // an error that is reported here must not surface again in someone else's check
  thread_local std::string sentence;
  sentence = std::string(doing) + " failed: " + cudaGetErrorString(error);
  if (error == cudaErrorNoKernelImageForDevice) {
    sentence +=
        "; this build has no code for this GPU (kadvise's kernels need compute capability 8.0 or newer)";
  } else if (error == cudaErrorInsufficientDriver) {
    sentence += "; update the NVIDIA driver to one for CUDA 13";
  }
  return sentence.c_str();
}

struct DeviceLimits {
  int sms = 0;
  int sharedBytes = 0;  // that one block may have, static and dynamic together
};

// Of the current device. Reads attributes that the runtime keeps at hand; no synchronisation.
inline cudaError_t readLimits(DeviceLimits& limits) {
  int device = 0;
  if (const auto error = cudaGetDevice(&device)) return error;
  if (const auto error = cudaDeviceGetAttribute(&limits.sms, cudaDevAttrMultiProcessorCount, device))
    return error;
  return cudaDeviceGetAttribute(&limits.sharedBytes, cudaDevAttrMaxSharedMemoryPerBlockOptin, device);
}

// One launch. Dynamic shared memory above 48 KiB must be asked for.
template <class... Args>
cudaError_t launchKernel(void (*kernel)(Args...), std::int64_t blocks, int threads, std::int64_t sharedBytes,
                         cudaStream_t stream, Args... args) {
  const auto* entry = reinterpret_cast<const void*>(kernel);
  const int bytes = static_cast<int>(sharedBytes);
  if (bytes > 48 * 1024) {
    if (const auto e = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
      return e;
  }
  void* pointers[] = {&args...};
  return cudaLaunchKernel(entry, dim3(static_cast<unsigned>(blocks)), dim3(static_cast<unsigned>(threads)),
                          pointers, static_cast<std::size_t>(bytes), stream);
}

}  // namespace kadvise

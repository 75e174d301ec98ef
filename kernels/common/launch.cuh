// Starting kernels: device facts, and CUDA's errors as sentences.
#pragma once

#include <cuda_runtime.h>

#include <cstdint>
#include <string>
#include <type_traits>

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

// Whether the current device has clusters of blocks, and kernels that begin before the one ahead has ended:
// compute capability 9.0.
inline bool hasClusters() {
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return false;
  return major >= 9;
}

// Starts with attributes, of which there may be none. Dynamic shared memory above 48 KiB must be asked for.
template <class... Args>
cudaError_t launchKernelWith(cudaLaunchAttribute* attributes, unsigned count, void (*kernel)(Args...),
                             std::int64_t blocks, int threads, std::int64_t sharedBytes, cudaStream_t stream,
                             Args... args) {
  const auto* entry = reinterpret_cast<const void*>(kernel);
  const int bytes = static_cast<int>(sharedBytes);
  if (bytes > 48 * 1024) {
    if (const auto e = cudaFuncSetAttribute(entry, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes))
      return e;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(bytes);
  config.stream = stream;
  config.attrs = attributes;
  config.numAttrs = count;
  void* pointers[] = {&args...};
  return cudaLaunchKernelExC(&config, entry, pointers);
}

template <class... Args>
cudaError_t launchKernel(void (*kernel)(Args...), std::int64_t blocks, int threads, std::int64_t sharedBytes,
                         cudaStream_t stream, std::type_identity_t<Args>... args) {
  return launchKernelWith<Args...>(nullptr, 0, kernel, blocks, threads, sharedBytes, stream, args...);
}

// While the kernel before it in the stream still runs, once all blocks of that have begun and called
// griddepcontrol.launch_dependents; the kernel must wait (griddepcontrol.wait) before it reads what that
// writes. GPUs before compute capability 9.0 start it behind that kernel.
template <class... Args>
cudaError_t launchKernelEarly(void (*kernel)(Args...), std::int64_t blocks, int threads,
                              std::int64_t sharedBytes, cudaStream_t stream,
                              std::type_identity_t<Args>... args) {
  cudaLaunchAttribute early{};
  early.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  early.val.programmaticStreamSerializationAllowed = 1;
  return launchKernelWith<Args...>(&early, hasClusters() ? 1 : 0, kernel, blocks, threads, sharedBytes,
                                   stream, args...);
}

// Clusters of some neighbouring blocks, which run side by side (compute capability 9.0). Of one block: none.
template <class... Args>
cudaError_t launchClusters(void (*kernel)(Args...), std::int64_t blocks, int threads,
                           std::int64_t sharedBytes, int blocksOfCluster, cudaStream_t stream,
                           std::type_identity_t<Args>... args) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocksOfCluster), 1, 1};
  return launchKernelWith<Args...>(&cluster, blocksOfCluster > 1 ? 1 : 0, kernel, blocks, threads,
                                   sharedBytes, stream, args...);
}

}  // namespace kadvise

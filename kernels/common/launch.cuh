// Starting kernels: device facts, and CUDA's errors as sentences.
#pragma once

#include "kernels/common/allowed_in_capture.h"

#include <cuda_runtime.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <set>
#include <string>
#include <type_traits>
#include <utility>

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
// compute capability 9.0, which the code for it must have been compiled for, too. A newer device may have
// that made of PTX.
inline bool hasClusters() {
  if (KADVISE_NEWEST_PTX < 90) return false;
  int device = 0, major = 0;
  if (cudaGetDevice(&device) != cudaSuccess) return false;
  if (cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device) != cudaSuccess) return false;
  return major >= 9;
}

// Dynamic shared memory that no kernel has to ask for: of 48 KiB in all, of which its static arrays are a
// part.
constexpr int kSharedForAll = 16 * 1024;

// What a kernel is asked for once on each device.
struct Allowed {
  std::mutex mutex;
  std::set<std::pair<int, const void*>> kernels;

  template <class Ask>
  cudaError_t once(const void* kernel, Ask ask) {
    const std::scoped_lock lock(mutex);
    int device = 0;
    if (const auto error = cudaGetDevice(&device)) return error;
    if (kernels.contains({device, kernel})) return cudaSuccess;
    const AllowedInCapture capturing;  // a kernel may be loaded for it
    if (const auto error = ask()) return error;
    kernels.insert({device, kernel});
    return cudaSuccess;
  }
};

// Asks for all that there is, so that no other thread's smaller wish comes after it.
inline cudaError_t allowShared(const void* kernel) {
  static Allowed allowed;
  return allowed.once(kernel, [&]() -> cudaError_t {
    DeviceLimits limits;
    if (const auto error = readLimits(limits)) return error;
    cudaFuncAttributes of{};
    if (const auto error = cudaFuncGetAttributes(&of, kernel)) return error;
    const int most = limits.sharedBytes - static_cast<int>(of.sharedSizeBytes);
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, most);
  });
}

// Clusters of more blocks than every device that has clusters runs.
inline cudaError_t allowWideClusters(const void* kernel) {
  static Allowed allowed;
  return allowed.once(kernel, [&] {
    return cudaFuncSetAttribute(kernel, cudaFuncAttributeNonPortableClusterSizeAllowed, 1);
  });
}

// Starts with attributes, of which there may be none.
template <class... Args>
cudaError_t launchKernelWith(cudaLaunchAttribute* attributes, unsigned count, void (*kernel)(Args...),
                             std::int64_t blocks, int threads, std::int64_t sharedBytes, cudaStream_t stream,
                             Args... args) {
  const auto* entry = reinterpret_cast<const void*>(kernel);
  const int bytes = static_cast<int>(sharedBytes);
  if (bytes > kSharedForAll) {
    if (const auto error = allowShared(entry)) return error;
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

constexpr int kPortableCluster = 8;  // blocks

inline cudaLaunchAttribute clusterOf(int blocks) {
  cudaLaunchAttribute cluster{};
  cluster.id = cudaLaunchAttributeClusterDimension;
  cluster.val.clusterDim = {static_cast<unsigned>(blocks), 1, 1};
  return cluster;
}

// Whether the current device has so many multiprocessors side by side that it runs such a cluster of the
// kernel, which is more blocks than kPortableCluster. Remembered for each device: one kernel asks.
inline bool runsWideClusters(const void* kernel, int blocks, int threads, std::int64_t sharedBytes) {
  static std::mutex mutex;
  static std::map<int, bool> known;
  int device = 0;
  if (!hasClusters() || cudaGetDevice(&device) != cudaSuccess) return false;
  const std::scoped_lock lock(mutex);
  if (const auto found = known.find(device); found != known.end()) return found->second;
  const AllowedInCapture capturing;
  cudaLaunchAttribute cluster = clusterOf(blocks);
  cudaLaunchConfig_t config{};
  config.gridDim = dim3(static_cast<unsigned>(blocks));
  config.blockDim = dim3(static_cast<unsigned>(threads));
  config.dynamicSmemBytes = static_cast<std::size_t>(sharedBytes);
  config.attrs = &cluster;
  config.numAttrs = 1;
  int clusters = 0;
  const bool runs = allowShared(kernel) == cudaSuccess && allowWideClusters(kernel) == cudaSuccess &&
                    cudaOccupancyMaxActiveClusters(&clusters, kernel, &config) == cudaSuccess && clusters > 0;
  if (!runs) cudaGetLastError();  // which would surface in someone else's check
  return known[device] = runs;
}

// Clusters of some neighbouring blocks, which run side by side (compute capability 9.0). Of one block: none.
template <class... Args>
cudaError_t launchClusters(void (*kernel)(Args...), std::int64_t blocks, int threads,
                           std::int64_t sharedBytes, int blocksOfCluster, cudaStream_t stream,
                           std::type_identity_t<Args>... args) {
  cudaLaunchAttribute cluster = clusterOf(blocksOfCluster);
  if (blocksOfCluster > kPortableCluster) {
    if (const auto error = allowWideClusters(reinterpret_cast<const void*>(kernel))) return error;
  }
  return launchKernelWith<Args...>(&cluster, blocksOfCluster > 1 ? 1 : 0, kernel, blocks, threads,
                                   sharedBytes, stream, args...);
}

}  // namespace kadvise

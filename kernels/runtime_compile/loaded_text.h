// Compiled text on the GPU, ready to be started.
#pragma once

#include "kernels/runtime_compile/launch.h"

#include <cuda_runtime_api.h>

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace kadvise {

// One kernel; a device's first launch prepares it there.
struct LoadedKernel {
  static constexpr int kMostDevices = 64;
  const void* entry = nullptr;
  // Bytes of dynamic shared memory that a launch may have on a device, plus 1; 0: not prepared there.
  std::array<std::atomic<int>, kMostDevices> prepared{};
};

struct LoadedText {
  std::once_flag once;
  std::string problem;  // empty: usable
  std::unique_ptr<LoadedKernel[]> kernels;
  int count = 0;
};

cudaError_t run(const RuntimeCall&, cudaStream_t);

}  // namespace kadvise

// Compiled text on the GPU, ready to be started.
#pragma once

#include "kernels/runtime_compile/driver.h"
#include "kernels/runtime_compile/launch.h"

#include <array>
#include <atomic>
#include <memory>
#include <mutex>
#include <string>

namespace kadvise {

// One kernel; a device's first launch prepares it there.
struct LoadedKernel {
  static constexpr int kMostDevices = 64;
  CUkernel kernel = nullptr;
  // By device. Bytes of dynamic shared memory that a launch may have there, plus 1; 0: not prepared. The
  // function is written before it.
  std::array<std::atomic<int>, kMostDevices> prepared{};
  std::array<std::atomic<CUfunction>, kMostDevices> functions{};
};

struct LoadedText {
  std::once_flag once;
  std::atomic<bool> isLoaded{false};
  std::string problem;  // empty: usable
  std::unique_ptr<LoadedKernel[]> kernels;
  int count = 0;
};

cudaError_t run(const RuntimeCall&, cudaStream_t);

}  // namespace kadvise

// A GPU that is made up, in place of libkadvise_kernels_cuda.so: its functions note what they are asked, and
// take the times that a case gives them.
#pragma once

#include <ATen/core/Tensor.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <string>
#include <vector>

namespace kadvise {

struct MadeUpGpu {
  std::mutex mutex;
  std::vector<std::string> compiled;  // texts, in the order of their first wish
  std::atomic<int> timings{0}, runs{0};
  std::atomic<int> strangeRuns{0};  // of a text that was never loaded, or with no grid
  std::atomic<bool> isCaptured{false};
  std::atomic<int> compilerMilliseconds{0};
  bool hasAll = false;  // in files
  std::string loadProblem, runProblem;
  std::function<float(int)> microseconds;  // of the n-th candidate

  void reset();
};

extern MadeUpGpu gpu;

// A program whose kernels no other has: names are in no kernel, numbers are. Its space has two dimensions.
std::string freshProgram();

// Whether a kernel served it.
bool callProgram(const std::string& text, std::int64_t rows, std::int64_t columns = 1024);

// Empty where no kernel served it.
std::vector<at::Tensor> resultsOf(const std::string& text, const std::vector<at::Tensor>& inputs);

}  // namespace kadvise

#include "tests/profiler/mutants/kernels.h"

namespace kadvise::mutants::cuda {
namespace {

constexpr int kThreads = 256;
constexpr long long kDelayClocks = 40'000'000;  // some 20 ms

unsigned blocksFor(std::int64_t count) { return static_cast<unsigned>((count + kThreads - 1) / kThreads); }

__global__ void doubleLate(const float* x, float* y, std::int64_t count) {
  for (long long start = clock64(); clock64() - start < kDelayClocks;) {
  }
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < count) y[i] = 2 * x[i];
}

__global__ void doubleAll(const float* x, float* y) {
  std::int64_t i = std::int64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  y[i] = 2 * x[i];
}

__global__ void addWithoutAtomics(const float* x, float* y, std::int64_t columns) {
  volatile float* sum = y + blockIdx.x;
  for (std::int64_t c = threadIdx.x; c < columns; c += blockDim.x) *sum = *sum + x[blockIdx.x * columns + c];
}

}  // namespace

void doubleOnOtherStream(const float* x, float* y, std::int64_t count) {
  static cudaStream_t other = [] {
    cudaStream_t stream;
    cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
    return stream;
  }();
  doubleLate<<<blocksFor(count), kThreads, 0, other>>>(x, y, count);
}

void doubleWholeBlocks(const float* x, float* y, std::int64_t count) {
  if (auto blocks = static_cast<unsigned>(count / kThreads)) doubleAll<<<blocks, kThreads>>>(x, y);
}

void racySums(const float* x, float* y, std::int64_t rows, std::int64_t columns) {
  addWithoutAtomics<<<static_cast<unsigned>(rows), kThreads>>>(x, y, columns);
}

void setPersistingL2(std::int64_t bytes) {
  cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, static_cast<std::size_t>(bytes));
}

}  // namespace kadvise::mutants::cuda

// The assert must stay in release builds, too.
#undef NDEBUG
#include "tests/profiler/faults/kernels.h"

#include <cassert>

namespace kadvise::faults::cuda {
namespace {

__global__ void loop(volatile int* always) {
  while (*always == 0) {
  }
}

__global__ void storeAt(int* where) { *where = 1; }

__global__ void assertFalse(int zero) { assert(zero != 0); }

// Right in every element, and reads one that is not there.
__global__ void doubleAndReadBeyond(const float* x, float* y, long long count) {
  for (long long i = threadIdx.x; i < count; i += blockDim.x)
    y[i] = x[i + 1] == 1e30f ? 2.5f * x[i] : 2 * x[i];
}

int* ints() {
  int* memory = nullptr;
  cudaMalloc(&memory, 256);
  cudaMemset(memory, 0, 256);
  return memory;
}

}  // namespace

void loopForever() { loop<<<1, 1>>>(ints()); }

void illegalAddress() { storeAt<<<1, 1>>>(reinterpret_cast<int*>(8)); }

void misalignedAddress() { storeAt<<<1, 1>>>(reinterpret_cast<int*>(reinterpret_cast<char*>(ints()) + 1)); }

void readBeyond(const float* x, float* y, long long count) { doubleAndReadBeyond<<<1, 128>>>(x, y, count); }

void failedAssert() { assertFalse<<<1, 1>>>(0); }

}  // namespace kadvise::faults::cuda

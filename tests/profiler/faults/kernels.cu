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

void failedAssert() { assertFalse<<<1, 1>>>(0); }

}  // namespace kadvise::faults::cuda

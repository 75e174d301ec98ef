// A thread's walk over what a launch has to read from memory.
#pragma once

namespace kadvise {

// Calls work(load(i), i) for i below `count`, kBatch loads ahead of the work. `behind` is called once, behind
// the first loads, also by a thread that has nothing to do.
template <int kBatch, class Load, class Behind, class Work>
__device__ __forceinline__ void stream(int count, Load load, Behind behind, Work work) {
  decltype(load(0)) ahead[kBatch];
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    ahead[k] = {};
    if (k < count) ahead[k] = load(k);
  }
  behind();
  int i = 0;
  for (; i + 2 * kBatch <= count; i += kBatch) {
#pragma unroll
    for (int k = 0; k < kBatch; ++k) {
      const auto now = ahead[k];
      ahead[k] = load(i + kBatch + k);
      work(now, i + k);
    }
  }
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    const auto now = ahead[k];
    if (i + kBatch + k < count) ahead[k] = load(i + kBatch + k);
    if (i + k < count) work(now, i + k);
  }
#pragma unroll
  for (int k = 0; k < kBatch; ++k) {
    if (i + kBatch + k < count) work(ahead[k], i + kBatch + k);
  }
}

}  // namespace kadvise

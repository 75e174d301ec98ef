// A thread's copies into shared memory, on some of which it works while others are on their way.
#pragma once

#include "kernels/common/shared.cuh"

#include <type_traits>

namespace kadvise {

struct CopyGroups {
  int count;  // of chunks

  // copy(u), of each chunk.
  template <class Copy>
  __device__ __forceinline__ void start(Copy copy) const {
#pragma unroll
    for (int g = 0; g < kGroups; ++g) {
#pragma unroll 4
      for (int u = begin(g); u < begin(g + 1); ++u) copy(u);
      groupCopies();
    }
  }
  // first() behind the first group, also without a chunk, and work(u) of each chunk.
  template <class First, class Work>
  __device__ __forceinline__ void await(First first, Work work) const {
    awaitGroup<0>();
    first();
    add<0>(work);
    awaitGroup<1>();
    add<1>(work);
    awaitGroup<2>();
    add<2>(work);
    awaitGroup<3>();
    add<3>(work);
  }

 private:
  static constexpr int kGroups = 4;
  __device__ __forceinline__ int begin(int g) const { return (count * g + kGroups - 1) / kGroups; }
  template <int kGroup>
  __device__ __forceinline__ static void awaitGroup() {
    awaitGroups<kGroups - 1 - kGroup>();
  }
  template <int kGroup, class Work>
  __device__ __forceinline__ void add(Work work) const {
#pragma unroll 4
    for (int u = begin(kGroup); u < begin(kGroup + 1); ++u) work(u);
  }
};

}  // namespace kadvise

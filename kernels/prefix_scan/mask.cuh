// The mask of a chunk of a row: x counts as x * mask.
#pragma once

#include "kernels/common/vector.cuh"

#include <cstdint>

namespace kadvise {

// As bytes of words, so that a chunk is one access where the mask is aligned to it.
template <int V>
struct MaskChunk {
  static constexpr int kWords = (V + 3) / 4;
  std::uint32_t word[kWords];

  // A whole chunk, at a multiple of its size.
  __device__ __forceinline__ void loadAligned(const bool* at) {
    if constexpr (V == 8) {
      const uint2 both = __ldg(reinterpret_cast<const uint2*>(at));
      word[0] = both.x;
      word[kWords - 1] = both.y;
    } else if constexpr (V == 4) {
      word[0] = __ldg(reinterpret_cast<const unsigned*>(at));
    } else {
      word[0] = __ldg(reinterpret_cast<const std::uint8_t*>(at));
    }
  }

  // Ones outside the row. Without branches on the data: many loads are in flight.
  __device__ __forceinline__ void load(const bool* mask, std::int64_t first, std::int64_t length) {
    const auto* const at = reinterpret_cast<const std::uint8_t*>(mask) + first;
    if (V > 1 && isWhole<V>(first, length) && reinterpret_cast<std::uintptr_t>(at) % V == 0) {
      loadAligned(mask + first);
      return;
    }
#pragma unroll
    for (int w = 0; w < kWords; ++w) word[w] = 0;
#pragma unroll
    for (int j = 0; j < V; ++j) {
      const std::int64_t column = first + j;
      const unsigned one = column >= 0 && column < length ? __ldg(at + j) : 1u;
      word[j / 4] |= one << j % 4 * 8;
    }
  }

  __device__ __forceinline__ void apply(float (&v)[V]) const {
#pragma unroll
    for (int j = 0; j < V; ++j) v[j] *= (word[j / 4] >> j % 4 * 8 & 0xffu) != 0 ? 1.0f : 0.0f;
  }
};

}  // namespace kadvise

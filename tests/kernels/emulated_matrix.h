// What warps do together with matrices (kernels/common/matrix.cuh), on the CPU: include it behind
// emulated_cuda.h and before kernels.
#pragma once

#include "kernels/common/matrix.cuh"
#include "tests/kernels/emulated_cuda.h"

#include <array>

inline void __syncwarp() {
  auto& block = *kadvise::test::emulated::block;
  kadvise::test::emulated::meet(block.warps[block.current / 32]);
}
inline int __any_sync(unsigned, bool mine) {
  float any = mine ? 1.0f : 0.0f;
  for (int mask = 16; mask > 0; mask /= 2) any += __shfl_xor_sync(0, any, mask);
  return any > 0.0f ? 1 : 0;
}
inline int __clz(int v) { return std::countl_zero(static_cast<unsigned>(v)); }

namespace kadvise {
namespace test::emulated {

// What each lane of this warp gives to all, in turn for each thing they do together.
using Given = std::array<std::uint64_t, 4>;
inline std::array<Given, 32> exchange(const Given& mine) {
  static thread_local std::array<Given, 1024> given;
  const unsigned thread = block->current, warp = thread / 32;
  given[thread] = mine;
  meet(block->warps[warp]);
  std::array<Given, 32> all;
  std::copy_n(given.begin() + warp * 32, 32, all.begin());
  meet(block->warps[warp]);
  return all;
}

}  // namespace test::emulated

inline void loadMatrices(const void* row, std::uint32_t (&matrix)[4]) {
  const auto rows = test::emulated::exchange({reinterpret_cast<std::uintptr_t>(row)});
  const unsigned lane = threadIdx.x % 32;
  for (unsigned m = 0; m < 4; ++m) {
    const auto* const from = reinterpret_cast<const std::uint32_t*>(rows[m * 8 + lane / 4][0]);
    matrix[m] = reinterpret_cast<std::uintptr_t>(from) % 16 == 0 ? from[lane % 4] : 0xffffffffu;  // NaN
  }
}

inline void loadMatricesTransposed(const void* row, std::uint32_t (&matrix)[4]) {
  const auto rows = test::emulated::exchange({reinterpret_cast<std::uintptr_t>(row)});
  const unsigned lane = threadIdx.x % 32;
  for (unsigned m = 0; m < 4; ++m) {
    const auto element = [&](unsigned of) -> std::uint32_t {
      const auto* const from = reinterpret_cast<const std::uint16_t*>(rows[m * 8 + of][0]);
      return reinterpret_cast<std::uintptr_t>(from) % 16 == 0 ? from[lane / 4] : 0xffffu;  // NaN
    };
    matrix[m] = element(lane % 4 * 2) | element(lane % 4 * 2 + 1) << 16;
  }
}

template <class T>
void multiplyAdd(std::uint32_t upper, std::uint32_t lower, std::uint32_t b, float (&sum)[4]) {
  const auto given = test::emulated::exchange({upper, lower, b});
  const auto element = [&](unsigned of, unsigned row, unsigned column) {
    if constexpr (sizeof(T) == 4) {
      return std::bit_cast<float>(static_cast<std::uint32_t>(given[row * 4 + column][of]));
    } else {
      const float2 pair = splitWord<T>(static_cast<std::uint32_t>(given[row * 4 + column / 2][of]));
      return column % 2 == 0 ? pair.x : pair.y;
    }
  };
  const unsigned lane = threadIdx.x % 32;
  for (unsigned e = 0; e < 4; ++e) {
    for (unsigned k = 0; k < kLanes<T>; ++k)
      sum[e] += element(e / 2, lane / 4, k) * element(2, lane % 4 * 2 + e % 2, k);
  }
}

template <class T>
void multiplyAddTwo(const std::uint32_t (&a)[4], const std::uint32_t (&b)[2], float (&sum)[4]) {
  multiplyAdd<T>(a[0], a[1], b[0], sum);
  multiplyAdd<T>(a[2], a[3], b[1], sum);
}

// Ties away from zero.
inline std::uint32_t roundedToTf32(std::uint32_t word) {
  constexpr std::uint32_t kDropped = 13;
  const bool isFinite = std::isfinite(std::bit_cast<float>(word));
  return isFinite ? (word + (1u << (kDropped - 1))) >> kDropped << kDropped : word;
}

template <int kBytes>
void copyBytesAsync(void* to, const void* from, bool when) {
  const bool isAligned =
      (reinterpret_cast<std::uintptr_t>(to) | reinterpret_cast<std::uintptr_t>(from)) % kBytes == 0;
  std::memset(to, isAligned ? 0 : 0xff, kBytes);
  if (when && isAligned) std::memcpy(to, from, kBytes);
}

}  // namespace kadvise

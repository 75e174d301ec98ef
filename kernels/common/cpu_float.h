// Rows of floats and bfloat16 on the CPU, in loops that a compiler vectorises. There is nothing for halves:
// converting them takes instructions that the vectoriser does not use, and torch's own kernels, which do, are
// faster.
#pragma once

#include <bit>
#include <cstdint>

// Compiles a function once for each of these processors and picks at load time. Helpers must be
// KADVISE_INLINE to be compiled along.
#if defined(__x86_64__) && defined(__GNUC__)
#define KADVISE_CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KADVISE_CPU_CLONES
#endif
#define KADVISE_INLINE inline __attribute__((always_inline))

namespace kadvise {

// A bfloat16 as its bits (an enum: the vectoriser does not see through structs).
enum class BFloat16Bits : std::uint16_t {};

KADVISE_INLINE float widen(float v) { return v; }
KADVISE_INLINE float widen(BFloat16Bits v) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(v) << 16);
}

// Rounds to nearest even, as torch does.
template <class T>
KADVISE_INLINE T narrow(float v);
template <>
KADVISE_INLINE float narrow<float>(float v) {
  return v;
}
template <>
KADVISE_INLINE BFloat16Bits narrow<BFloat16Bits>(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<BFloat16Bits>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}

}  // namespace kadvise

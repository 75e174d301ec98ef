// Rows of floats, halves and bfloat16 on the CPU, in loops that a compiler vectorises.
#pragma once

#include "kernels/common/abi.h"

#include <bit>
#include <cstdint>

// Compiles a function once for each of these processors and picks at load time. Helpers must be KADVISE_INLINE to be
// compiled along.
#if defined(__x86_64__) && defined(__GNUC__)
#define KADVISE_CPU_CLONES __attribute__((target_clones("arch=x86-64-v4", "arch=x86-64-v3", "default")))
#else
#define KADVISE_CPU_CLONES
#endif
#define KADVISE_INLINE inline __attribute__((always_inline))

namespace kadvise {

// The 16-bit types as bits (enums: the vectoriser does not see through structs). Conversions are integer arithmetic,
// without branches.
enum class HalfBits : std::uint16_t {};
enum class BFloat16Bits : std::uint16_t {};

KADVISE_INLINE float widen(float v) { return v; }
KADVISE_INLINE float widen(BFloat16Bits v) { return std::bit_cast<float>(static_cast<std::uint32_t>(v) << 16); }
// Exponent and mantissa move into place as an integer; one multiplication corrects the exponent, denormals included.
KADVISE_INLINE float widen(HalfBits v) {
  const auto bits = static_cast<std::uint32_t>(v);
  const std::uint32_t magnitude = bits & 0x7fffu, sign = (bits & 0x8000u) << 16;
  const float scaled = std::bit_cast<float>(magnitude << 13) * 0x1p112f;
  const std::uint32_t special = magnitude >= 0x7c00u ? 0x7f800000u : 0u;  // infinity and NaN
  return std::bit_cast<float>(std::bit_cast<std::uint32_t>(scaled) | special | sign);
}

// Rounds to nearest even, as torch does.
template <class T>
KADVISE_INLINE T narrow(float v);
template <>
KADVISE_INLINE float narrow<float>(float v) { return v; }
template <>
KADVISE_INLINE BFloat16Bits narrow<BFloat16Bits>(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const std::uint32_t rounded = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
  return static_cast<BFloat16Bits>((bits & 0x7fffffffu) > 0x7f800000u ? 0x7fc0u : rounded);
}
// Normal numbers: the exponent is rebased and the mantissa rounded as an integer. Below 2^-14: adding 0.5 moves the denormal's
// bits to the end of the mantissa, where the addition itself rounds them.
template <>
KADVISE_INLINE HalfBits narrow<HalfBits>(float v) {
  const auto bits = std::bit_cast<std::uint32_t>(v);
  const std::uint32_t magnitude = bits & 0x7fffffffu, sign = bits >> 16 & 0x8000u;
  const std::uint32_t normal = (magnitude - 0x38000000u + 0xfffu + (magnitude >> 13 & 1u)) >> 13;
  const std::uint32_t denormal = std::bit_cast<std::uint32_t>(std::bit_cast<float>(magnitude) + 0.5f) - 0x3f000000u;
  const std::uint32_t finite = magnitude < 0x38800000u ? denormal : normal;
  const std::uint32_t large = magnitude > 0x7f800000u ? 0x7e00u : 0x7c00u;  // NaN, or too large for a half
  return static_cast<HalfBits>(sign | (magnitude >= 0x477ff000u ? large : finite));
}

}  // namespace kadvise

// Conversions of bfloat16 against torch's, for every value of it.
#include "kernels/common/cpu_float.h"

#include <c10/util/BFloat16.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kadvise {
namespace {

bool same(float a, float b) {
  return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b);
}

TEST(CpuFloat, bfloat16_widens_like_torch) {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float ours = widen(static_cast<BFloat16Bits>(bits));
    const float theirs = c10::BFloat16(static_cast<std::uint16_t>(bits), c10::BFloat16::from_bits());
    ASSERT_TRUE(same(ours, theirs)) << std::hex << bits << ": " << ours << " for " << theirs;
  }
}

// Each value, the values halfway to its neighbours, and the neighbours of those: where rounding decides.
TEST(CpuFloat, bfloat16_narrows_like_torch) {
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float here = widen(static_cast<BFloat16Bits>(bits)),
                next = widen(static_cast<BFloat16Bits>(bits + 1));
    const float half = here + (next - here) / 2;
    for (const float v : {here, half, std::nextafter(half, infinity), std::nextafter(half, -infinity)}) {
      const float ours = widen(narrow<BFloat16Bits>(v));
      ASSERT_TRUE(same(ours, c10::BFloat16(v))) << std::hexfloat << v << ": " << ours;
    }
  }
}

}  // namespace
}  // namespace kadvise

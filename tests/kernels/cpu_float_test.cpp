// Conversions of the 16-bit types against torch's, for every value of them.
#include "kernels/common/cpu_float.h"

#include <c10/util/BFloat16.h>
#include <c10/util/Half.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kadvise {
namespace {

bool same(float a, float b) { return std::isnan(a) ? std::isnan(b) : std::bit_cast<std::uint32_t>(a) == std::bit_cast<std::uint32_t>(b); }

template <class Bits, class Torch>
void expectWidensLikeTorch() {
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float ours = widen(static_cast<Bits>(bits));
    const float theirs = static_cast<float>(Torch(static_cast<std::uint16_t>(bits), Torch::from_bits()));
    ASSERT_TRUE(same(ours, theirs)) << std::hex << bits << ": " << ours << " for " << theirs;
  }
}

// Each value, the values halfway to its neighbours, and their neighbours: where rounding decides.
template <class Bits, class Torch>
void expectNarrowsLikeTorch() {
  const auto check = [](float v) {
    const auto ours = static_cast<std::uint16_t>(narrow<Bits>(v));
    const Torch theirs(v);
    ASSERT_TRUE(ours == theirs.x || (std::isnan(v) && std::isnan(static_cast<float>(theirs)) && std::isnan(widen(static_cast<Bits>(ours)))))
        << std::hexfloat << v << std::hex << ": " << ours << " for " << theirs.x;
  };
  const float infinity = std::numeric_limits<float>::infinity();
  for (std::uint32_t bits = 0; bits <= 0xffff; ++bits) {
    const float here = widen(static_cast<Bits>(bits)), next = widen(static_cast<Bits>(bits + 1));
    const float half = here + (next - here) / 2;
    for (const float v : {here, half, std::nextafter(half, infinity), std::nextafter(half, -infinity)}) check(v);
  }
  for (const float v : {1e-45f, -1e-45f, 3.4e38f, 65519.99f, 65520.0f, -65520.0f, infinity, -infinity, std::nanf("")}) check(v);
}

TEST(CpuFloat, half_widens_like_torch) { expectWidensLikeTorch<HalfBits, c10::Half>(); }
TEST(CpuFloat, bfloat16_widens_like_torch) { expectWidensLikeTorch<BFloat16Bits, c10::BFloat16>(); }
TEST(CpuFloat, half_narrows_like_torch) { expectNarrowsLikeTorch<HalfBits, c10::Half>(); }
TEST(CpuFloat, bfloat16_narrows_like_torch) { expectNarrowsLikeTorch<BFloat16Bits, c10::BFloat16>(); }

}  // namespace
}  // namespace kadvise

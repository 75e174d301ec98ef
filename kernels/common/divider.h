// Division by a number that a whole launch shares, on both sides of the border: a multiplication where the
// dividend fits 31 bits, which is nearly always, and the true division beyond.
#pragma once

#include <cstdint>

#ifdef __CUDACC__
#define KADVISE_HOST_DEVICE __host__ __device__ __forceinline__
#else
#define KADVISE_HOST_DEVICE inline
#endif

namespace kadvise {

// Of dividends and a divisor below 2^31, in three instructions. With s = ceil(log2 d) and m = floor(2^32 (2^s
// - d) / d) + 1, n / d = (high 32 bits of n m + n) >> s for every n below 2^31 (Granlund and Montgomery,
// Division by Invariant Integers using Multiplication, 1994).
struct SmallDivider {
  std::uint32_t multiplier = 1, shift = 0;

  SmallDivider() = default;
  explicit SmallDivider(std::int64_t d) {
    while ((std::int64_t{1} << shift) < d) ++shift;
    const std::uint64_t rest = (std::uint64_t{1} << shift) - static_cast<std::uint64_t>(d);
    multiplier = static_cast<std::uint32_t>((rest << 32) / static_cast<std::uint64_t>(d) + 1);
  }
  KADVISE_HOST_DEVICE std::uint32_t quotient(std::uint32_t n) const {
    const auto high = static_cast<std::uint32_t>(static_cast<std::uint64_t>(n) * multiplier >> 32);
    return (high + n) >> shift;
  }
};

struct Divider {
  std::int64_t divisor = 1;
  SmallDivider small;

  Divider() = default;
  explicit Divider(std::int64_t d) : divisor(d) {
    if (d <= INT32_MAX) small = SmallDivider(d);  // quotient() else divides
  }

  // Of n below 2^31, where the divisor is, too.
  KADVISE_HOST_DEVICE std::uint32_t quotientOfSmall(std::uint32_t n) const { return small.quotient(n); }
  // n >= 0.
  KADVISE_HOST_DEVICE std::int64_t quotient(std::int64_t n) const {
    if (n > INT32_MAX || divisor > INT32_MAX) return n / divisor;
    return quotientOfSmall(static_cast<std::uint32_t>(n));
  }
};

}  // namespace kadvise

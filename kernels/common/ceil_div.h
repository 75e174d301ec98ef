// Division that rounds up.
#pragma once

#include <cstdint>

namespace kadvise {

// Neither negative; a + b - 1 must not overflow.
constexpr std::int64_t ceilDiv(std::int64_t a, std::int64_t b) { return (a + b - 1) / b; }

}  // namespace kadvise

// Division by multiplication against division.
#include "kernels/common/divider.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

TEST(Divider, gives_the_quotient_for_every_size_of_dividend_and_divisor) {
  const std::int64_t limit = std::int64_t{1} << 31;
  std::int64_t checked = 0;
  for (std::int64_t d = 1; d < 4 * limit; d += 1 + d / 37) {
    const Divider divider(d);
    for (const std::int64_t near : {std::int64_t{0}, d, 2 * d, 1000 * d, limit / d * d, limit, 3 * limit}) {
      for (std::int64_t n = near > 2 ? near - 2 : 0; n <= near + 2; ++n, ++checked) {
        ASSERT_EQ(divider.quotient(n), n / d) << n << " / " << d;
      }
    }
  }
  EXPECT_GT(checked, 10'000);
}

}  // namespace
}  // namespace kadvise

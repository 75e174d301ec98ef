#include "profiler/contract.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kadvise {
namespace {

using at::Tensor;
using Call = Run;  // GoogleTest's own Run hides it in a test

constexpr float kNan = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

TEST(Domain, IsWhatBecomesSomethingElse) {
  auto nan = domainFrom("rows that the mask sets wholly to -inf: NaN becomes 0");
  EXPECT_TRUE(nan.nan && !nan.infinity);
  auto infinity = domainFrom("probabilities that underflow: -inf becomes their finite logarithm");
  EXPECT_TRUE(!infinity.nan && infinity.infinity);
  auto mixed =
      domainFrom("rows that the mask hides wholly: the mean of v, or NaN, becomes another mean or 0");
  EXPECT_TRUE(mixed.nan && !mixed.infinity);
  auto both =
      domainFrom("rows masked entirely: NaN becomes 0; probabilities that underflow: -inf becomes finite");
  EXPECT_TRUE(both.nan && both.infinity);
}

TEST(Specials, AreExcusedOnlyAsDeclared) {
  Tensor original = at::tensor({1.f, kNan, -kInf}), nanMended = at::tensor({1.f, 0.f, -kInf}),
         infinityMended = at::tensor({1.f, kNan, -90.f});
  EXPECT_TRUE(specialsBreach(original, nanMended, {}, {}).has_value());
  EXPECT_TRUE(specialsBreach(original, infinityMended, {}, {}).has_value());
  EXPECT_FALSE(specialsBreach(original, nanMended, {}, {.nan = true}).has_value());
  EXPECT_TRUE(specialsBreach(original, infinityMended, {}, {.nan = true}).has_value());
  EXPECT_FALSE(specialsBreach(original, infinityMended, {}, {.infinity = true}).has_value());
  // What was a number stays one.
  EXPECT_TRUE(specialsBreach(infinityMended, original, {}, {.nan = true, .infinity = true}).has_value());
}

TEST(Specials, KeepTheSignOfInfinity) {
  EXPECT_TRUE(specialsBreach(at::tensor({kInf}), at::tensor({-kInf}), {}, {.infinity = true}).has_value());
  EXPECT_FALSE(specialsBreach(at::tensor({kInf}), at::tensor({kInf}), {}, {}).has_value());
}

TEST(Sharing, IsOfElementsAndNotOfStorages) {
  Tensor whole = at::randn({4, 8});
  auto tuple = [](const Tensor& a, const Tensor& b) { return c10::ivalue::Tuple::create(a, b); };
  Call apart{{}, tuple(whole.slice(1, 0, 4).clone(), whole.slice(1, 4, 8).clone())};
  Call halves{{}, tuple(whole.slice(1, 0, 4), whole.slice(1, 4, 8))};
  EXPECT_EQ(breachOf(apart, halves), std::nullopt);
  Call copies{{}, tuple(whole.slice(0, 0, 3).clone(), whole.slice(0, 1, 4).clone())};
  Call overlapping{{}, tuple(whole.slice(0, 0, 3), whole.slice(0, 1, 4))};
  EXPECT_TRUE(breachOf(copies, overlapping).has_value());
  EXPECT_EQ(breachOf(overlapping, overlapping), std::nullopt);
  EXPECT_EQ(breachOf(overlapping, copies),
            "output 0 and output 1 are not the same memory, those of the original are");
}

}  // namespace
}  // namespace kadvise

#include "profiler/accuracy.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

namespace kadvise {
namespace {

using at::Tensor;

Tensor truth() {
  at::manual_seed(1);
  return at::randn({64, 128}, at::kDouble);
}

Grade grade(const Tensor& original, const Tensor& candidate, const Tensor& y64,
            Reference reference = Reference::Fp64) {
  return gradeOf(original, candidate, errorsAgainst(original, y64), errorsAgainst(candidate, y64),
                 boundsFor(original.scalar_type(), reference), reference);
}

TEST(Errors, OfARoundedResultAreBelowOneUlp) {
  Tensor y64 = truth();
  for (auto type : {at::kFloat, at::kHalf, at::kBFloat16}) {
    Errors e = errorsAgainst(y64.to(type), y64);
    EXPECT_GT(e.rmsUlp, 0);
    EXPECT_LE(e.maxUlp, 1) << type;
    EXPECT_LE(e.p999Ulp, e.maxUlp);
    EXPECT_NEAR(e.bias, 0, 0.05);
    EXPECT_NEAR(e.scale, 1, 1e-3);
  }
}

TEST(Errors, CountInUnitsOfTheRowsScale) {
  Tensor y64 = at::ones({4, 100}, at::kDouble);
  Tensor y = y64.to(at::kFloat);
  y.index_put_({at::tensor({2}), at::tensor({7})}, at::tensor({1.0f + 10 * std::ldexp(1.0f, -23)}));
  Errors e = errorsAgainst(y, y64);
  EXPECT_NEAR(e.maxUlp, 10, 1e-6);
  EXPECT_NEAR(e.rmsUlp, 10 / std::sqrt(400.0), 1e-6);
  EXPECT_NEAR(e.bias, 10 / 400.0, 1e-6);
}

TEST(Errors, AnElementThatCancelsIsJudgedByItsRow) {
  Tensor y64 = at::ones({1, 1000}, at::kDouble);
  y64[0][5] = 1e-9;
  Tensor y = y64.to(at::kFloat);
  y[0][5] = 2e-9f;  // twice its value, a hundredth of an ulp of the row
  EXPECT_LT(errorsAgainst(y, y64).maxUlp, 1);
}

TEST(Errors, SeeAConstantFactor) {
  Tensor y64 = truth();
  Errors e = errorsAgainst((2 * y64).to(at::kFloat), y64);
  EXPECT_NEAR(e.scale, 2, 1e-5);
  EXPECT_GT(e.rmsUlp, 1e6);
}

TEST(Errors, LargeTensorsGoInChunks) {
  Tensor y64 = at::ones({3, 1 << 22}, at::kDouble);
  Tensor y = y64.to(at::kFloat);
  y[2][12345] = 1.5f;
  Errors e = errorsAgainst(y, y64);
  EXPECT_NEAR(e.maxUlp, 0.5 * std::ldexp(1.0, 23), 1);
  EXPECT_LT(e.p999Ulp, 1);
}

TEST(Errors, OfScalarsAndEmptyTensors) {
  EXPECT_EQ(errorsAgainst(at::scalar_tensor(2.0, at::kFloat), at::scalar_tensor(2.0, at::kDouble)).maxUlp, 0);
  EXPECT_EQ(errorsAgainst(at::empty({0, 4}), at::empty({0, 4}, at::kDouble)).maxUlp, 0);
  EXPECT_EQ(errorsAgainst(at::empty({4, 0}), at::empty({4, 0}, at::kDouble)).maxUlp, 0);
}

TEST(Ladder, FromOneUlpToDifferent) {
  Tensor y64 = truth();
  Tensor original = (y64 * (1 + 3e-6 * at::randn_like(y64))).to(at::kFloat);  // some 25 ulp
  auto at = [&](double factor) { return (y64 * (1 + factor * 3e-6 * at::randn_like(y64))).to(at::kFloat); };
  EXPECT_EQ(grade(original, original, y64), Grade::OneUlp);
  EXPECT_EQ(grade(original, y64.to(at::kFloat), y64), Grade::AtLeastAsAccurate);
  EXPECT_EQ(grade(original, at(1.3), y64), Grade::WithinBound);
  EXPECT_EQ(grade(original, at(3), y64), Grade::Different);
  EXPECT_EQ(grade(original, original * 2, y64), Grade::Different);
}

TEST(Ladder, OneWrongElementInAMillionIsDifferent) {
  Tensor y64 = at::randn({1000, 1000}, at::kDouble), original = y64.to(at::kFloat),
         candidate = original.clone();
  candidate[999][999] += 1;
  EXPECT_EQ(grade(original, candidate, y64), Grade::Different);
}

TEST(Ladder, AFactorIsSeenBehindANoisyOriginal) {
  // TF32-like noise: the RMS bound alone would forgive 0.05%.
  Tensor y64 = at::randn({512, 512}, at::kDouble);
  Tensor original = (y64 * (1 + 1e-3 * at::randn_like(y64))).to(at::kFloat);
  EXPECT_EQ(grade(original, (y64 * 1.0009).to(at::kFloat), y64), Grade::Different);
}

TEST(Ladder, WithoutAReferenceReorderingIsForgivenAndFormulasAreNot) {
  Tensor original = at::randn({64, 64}), y64 = original.to(at::kDouble);
  Tensor reordered = original * (1 + 1e-6), wrong = original * (1 + 1e-4);
  EXPECT_EQ(grade(original, reordered, y64, Reference::OriginalOnly), Grade::WithinBound);
  EXPECT_EQ(grade(original, wrong, y64, Reference::OriginalOnly), Grade::Different);
}

TEST(OneUlp, IsAboutTheNeighbourInTheFormat) {
  Tensor a = at::tensor({1.0f, 3.0f, -2.5e-3f, std::numeric_limits<float>::quiet_NaN()});
  Tensor next = at::nextafter(a, at::full_like(a, 10.0f)),
         second = at::nextafter(next, at::full_like(a, 10.0f));
  EXPECT_TRUE(withinOneUlp(a, next));
  EXPECT_FALSE(withinOneUlp(a, second));
}

TEST(Degenerate, IsAnOutputThatBarelyVaries) {
  EXPECT_TRUE(barelyVaries(at::full({8, 8}, 3.5), at::kFloat));
  EXPECT_TRUE(barelyVaries(at::zeros({8, 8}), at::kFloat));
  EXPECT_FALSE(barelyVaries(at::randn({8, 8}), at::kFloat));
  EXPECT_FALSE(barelyVaries(at::full({1}, 3.5), at::kFloat));
  EXPECT_TRUE(barelyVaries(64 + 1e-3 * at::randn({8, 8}), at::kBFloat16));
}

}  // namespace
}  // namespace kadvise

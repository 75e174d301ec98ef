#include "profiler/statistics.h"

#include <gtest/gtest.h>

#include <cmath>
#include <random>

namespace kadvise {
namespace {

TEST(Median, OfKnownLists) {
  EXPECT_EQ(median({}), 0);
  EXPECT_EQ(median({7}), 7);
  EXPECT_EQ(median({3, 1, 2}), 2);
  EXPECT_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_EQ(median({1, 1, 1, 1000}), 1);
}

TEST(Quantile, RunsLinearlyBetweenNeighbours) {
  EXPECT_EQ(quantile({0, 10}, 0.25), 2.5);
  EXPECT_EQ(quantile({0, 10, 20}, 1), 20);
  EXPECT_EQ(quantile({0, 10, 20}, 0), 0);
}

TEST(Bootstrap, GivesTheSameIntervalAgainAndHoldsItsMedian) {
  std::vector<double> values = {1, 2, 3, 4, 5, 6, 7, 8, 9};
  Interval a = bootstrapMedian(values), b = bootstrapMedian(values);
  EXPECT_EQ(a.low, b.low);
  EXPECT_EQ(a.high, b.high);
  EXPECT_EQ(a.mid, 5);
  EXPECT_LT(a.low, 5);
  EXPECT_GT(a.high, 5);
}

TEST(Bootstrap, OfOneValueHasNoWidth) {
  Interval i = bootstrapMedian({3});
  EXPECT_EQ(i.low, 3);
  EXPECT_EQ(i.high, 3);
}

// The interval must hold the true median in about 95% of campaigns: fewer, and noise would be called a gain.
TEST(Bootstrap, CoversTheTrueMedian) {
  std::mt19937_64 random(7);
  std::normal_distribution<double> normal(0.1, 1);
  int covered = 0, campaigns = 300;
  for (int c = 0; c < campaigns; ++c) {
    std::vector<double> values(31);
    for (double& v : values) v = normal(random);
    Interval i = bootstrapMedian(values);
    covered += i.low <= 0.1 && 0.1 <= i.high;
  }
  EXPECT_GE(covered, campaigns * 0.91);
}

// Against resamples that are drawn: what is computed is their distribution.
TEST(Bootstrap, IsWhatDrawnResamplesApproach) {
  std::mt19937_64 random(11);
  std::vector<double> values(21);
  for (double& v : values) v = double(random() % 1000);
  std::vector<double> medians, sample(values.size());
  for (int r = 0; r < 20000; ++r) {
    for (double& v : sample) v = values[random() % values.size()];
    medians.push_back(median(sample));
  }
  Interval i = bootstrapMedian(values, 0.1);
  EXPECT_EQ(i.low, quantile(medians, 0.05));
  EXPECT_EQ(i.high, quantile(medians, 0.95));
}

TEST(Bootstrap, MoreCandidatesMakeAWiderInterval) {
  std::vector<double> values;
  for (int i = 0; i < 40; ++i) values.push_back(i);
  Interval one = bootstrapMedian(values, missingOf(1)), many = bootstrapMedian(values, missingOf(50));
  EXPECT_LT(many.low, one.low);
  EXPECT_GT(many.high, one.high);
  EXPECT_EQ(missingOf(0), missingOf(1));
}

TEST(Bootstrap, NeedsAsManyValuesAsItsLevelAsks) {
  EXPECT_EQ(fewestValues(0.05), 6);
  EXPECT_EQ(fewestValues(0.05 / 50), 11);
}

TEST(Speedup, PairsTheBlocksOfAUnit) {
  // The clock slows down by a factor of ten; the ratio inside each unit is two.
  std::vector<Unit> units;
  for (double clock : {1.0, 2.0, 5.0, 10.0})
    units.push_back({{200 * clock, 200 * clock}, {100 * clock, 100 * clock}, {200 * clock, 200 * clock}});
  Interval i = speedupOf(units);
  EXPECT_NEAR(i.low, 2, 1e-12);
  EXPECT_NEAR(i.mid, 2, 1e-12);
  EXPECT_NEAR(i.high, 2, 1e-12);
}

TEST(Speedup, ALinearDriftInsideAUnitCancels) {
  // before, after, control, control, after, before: equal work under a slowing clock.
  std::vector<Unit> units(5, Unit{{100, 150}, {110, 140}, {120, 130}});
  EXPECT_NEAR(speedupOf(units).mid, 1, 0.01);
  EXPECT_NEAR(controlOf(units).mid, 1, 0.03);
}

TEST(Verdict, NeedsTheWholeIntervalBeyondTheNoise) {
  EXPECT_EQ(judgeSpeedup({1.10, 1.2, 1.3}, 0.01), Outcome::Faster);
  EXPECT_EQ(judgeSpeedup({1.02, 1.2, 1.3}, 0.01), Outcome::Ambiguous);
  EXPECT_EQ(judgeSpeedup({1.10, 1.2, 1.3}, 0.15), Outcome::Ambiguous);
  EXPECT_EQ(judgeSpeedup({0.7, 0.8, 0.9}, 0.01), Outcome::Slower);
  EXPECT_EQ(judgeSpeedup({0.9, 0.95, 0.99}, 0.01), Outcome::Ambiguous);
  EXPECT_EQ(judgeSpeedup({0.99, 1.0, 1.02}, 0.01), Outcome::Same);
  EXPECT_EQ(judgeSpeedup({0.99, 1.0, 1.02}, 0.2), Outcome::Same);
  EXPECT_EQ(judgeSpeedup({0.9, 1.0, 1.1}, 0.01), Outcome::Ambiguous);
}

TEST(Verdict, NoiseIsTheFarEndOfTheControl) {
  EXPECT_NEAR(noiseOf({0.99, 1.0, 1.01}), 0.01, 1e-12);
  EXPECT_NEAR(noiseOf({1.02, 1.03, 1.05}), 0.05, 1e-12);
}

TEST(HalfWidth, IsAShareOfTheFigure) {
  EXPECT_NEAR(halfWidthOf({0.99, 1, 1.01}), 0.01, 1e-4);
  EXPECT_NEAR(halfWidthOf({1.98, 2, 2.02}), 0.01, 1e-4);
  EXPECT_TRUE(std::isinf(halfWidthOf({})));
  EXPECT_TRUE(std::isinf(halfWidthOf({std::nan(""), std::nan(""), std::nan("")})));
}

}  // namespace
}  // namespace kadvise

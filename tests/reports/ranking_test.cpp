// What is advised first: measurements before estimates, and the time saved over all places.
#include "reports/ranking.h"

#include <gtest/gtest.h>

#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

TEST(Ranking, IsByTimeSavedOverAllSites) {
  Report r = sampleReport();
  auto advice = rankedAdvice(r);
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_EQ(advice[0].candidate->id, "large");
  EXPECT_NEAR(advice[0].savedUs, 300, 1e-6);  // half of 200 us at three sites
  EXPECT_EQ(advice[1].candidate->id, "small");
  EXPECT_EQ(advice[2].standing, Standing::NotUsed);
}

// The same mask for every layer: its region makes it anew, the module once.
TEST(Ranking, WhatSitesShareIsCountedOnce) {
  Report r = sampleReport();
  for (auto& c : r.candidates)
    if (c.id == "large") c.rule = "fusion/attention-mask-from-shapes";
  auto advice = rankedAdvice(r);
  EXPECT_EQ(advice[0].candidate->id, "large");
  EXPECT_NEAR(advice[0].savedUs, 100, 1e-6);  // half of 200 us, at three sites
  EXPECT_HAS(rendered(r),
             "saves 100 µs a call (counted once, since its sites share what makes their input), 2.00x");
}

TEST(Ranking, EqualButNotTimedIsEqual) {
  Verdict v;
  v.accuracy.grade = "bitwise";
  EXPECT_TRUE(outputsEqual(v));
  v.accuracy.grade = "different";
  EXPECT_FALSE(outputsEqual(v));
  EXPECT_FALSE(outputsEqual(Verdict{}));
}

TEST(Ranking, OrdersProposalsThatWereNotMeasuredByTheirEstimate) {
  Report r = sampleReport();
  r.verdicts.clear();
  r.composition = {};
  r.findings[0].estimate->savedUs = 50;
  r.findings[1].estimate->savedUs = 20;  // at three sites
  r.findings[2].estimate.reset();
  auto advice = rankedAdvice(r);
  EXPECT_EQ(advice[0].candidate->id, "large");
  EXPECT_EQ(advice[1].candidate->id, "small");
  EXPECT_EQ(advice[2].candidate->id, "slow");
  EXPECT_HAS(rendered(r),
             "estimate: about 60 µs less a call, 12 MiB less traffic a call, 1.30x in its region");
}

TEST(Ranking, NeverLetsAnEstimateOvertakeAMeasurement) {
  Report r = sampleReport();
  r.findings[0].estimate->savedUs = 1e9;  // of "small", which was measured to save less than "large"
  EXPECT_EQ(rankedAdvice(r)[0].candidate->id, "large");
  EXPECT_LACKS(rendered(r).substr(0, rendered(r).find("Also found")), "estimate:");
}

}  // namespace
}  // namespace kadvise

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

// What was not measured, by estimates that are this much.
Report estimatedTo(double first, double second) {
  Report r = sampleReport();
  r.verdicts.clear();
  r.composition = {};
  r.whole = {};
  r.baseline.reset();
  r.findings[0].estimate->savedUs = first, r.findings[1].estimate->savedUs = second;
  r.findings[2].estimate.reset();
  return r;
}

TEST(Ranking, WhatIsEstimatedToSaveNothingComesLast) {
  Report r = estimatedTo(2.39e-05, -3);
  EXPECT_TRUE(promisesNothing(r.findings[0]));
  EXPECT_TRUE(promisesNothing(r.findings[1]));
  auto advice = rankedAdvice(r);
  EXPECT_EQ(advice[0].candidate->id, "slow") << "of which nothing is known";
  EXPECT_EQ(advice[1].estimatedUs, 0);
  EXPECT_EQ(advice[2].estimatedUs, 0);
}

TEST(Ranking, WhatIsEstimatedToSaveNothingIsCountedWithoutVerification) {
  Report r = estimatedTo(2.39e-05, 5);
  r.findings[2].estimate = Estimate{0, 0, 1, "bytes moved"};  // the same, by a better kernel
  std::string text = rendered(r);
  EXPECT_LACKS(text, "a message about F1");
  EXPECT_HAS(text, "a message about F3");
  EXPECT_LACKS(text, "1.00x in its region");
  EXPECT_HAS(text, "1 proposal estimated to save nothing not shown (-v)");
  EXPECT_HAS(rendered(r, {100, false, true}), "estimate: none to speak of");
  r.verdicts = {sampleVerdict("large", Outcome::Faster, 2, 200)};  // the others ran out of the budget
  EXPECT_HAS(rendered(r), "a message about F1");
  EXPECT_HAS(rendered(r), "estimate: none to speak of");
  EXPECT_LACKS(rendered(r), "e-05");
}

Fix rewriteOf(const std::string& before) {
  Rewrite rewrite;
  rewrite.before = before;
  return {"a title", Safety::Safe, rewrite};
}

TEST(Ranking, OneLineIsNoOverlapWhereNoOperatorIsShared) {
  Report r = sampleReport();
  r.findings[1].where = r.findings[0].where;
  EXPECT_HAS(rendered(r), "overlaps item 1 at 1 of its 1 place") << "the report has no operators";
  r.findings[0].fixes = {
      rewriteOf("graph(%x : Tensor):\n  %c : int = prim::Constant[value=-1]()\n"
                "  %1 : Tensor = aten::softmax(%x, %c)\n  %2 : Tensor = aten::log(%1)\n")};
  r.findings[1].fixes = {
      rewriteOf("graph(%x : Tensor):\n  %c : int = prim::Constant[value=-1]()\n"
                "  %1 : Tensor = aten::relu(%x)\n")};
  EXPECT_LACKS(rendered(r), "overlaps item");
  r.findings[1].fixes = {rewriteOf("graph(%x : Tensor):\n  %1 : Tensor = aten::log(%x)\n")};
  EXPECT_HAS(rendered(r), "overlaps item 1 at 1 of its 1 place");
}

}  // namespace
}  // namespace kadvise

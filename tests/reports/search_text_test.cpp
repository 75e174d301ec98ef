// What the text says of sets that were tried, and of places that other items make.
#include <gtest/gtest.h>

#include "reports/ranking.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

TEST(SearchText, SaysWhatWasTriedAndWhatBecameOfIt) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "What was tried together");
  EXPECT_HAS(text,
             "all that is equal and not slower in its region: 1.42x (1.37–1.47, 95%) against the original; "
             "the start");
  EXPECT_HAS(
      text,
      "also what is equal and not faster alone (with item 3): 0.96x (0.95–0.97, 95%) against the set so far; "
      "not taken: clearly slower");
}

TEST(SearchText, TrustsNoFactorWhereTheWholeHasNoClearResult) {
  Report r = sampleReport();
  EXPECT_LACKS(rendered(r), "not trusted");
  r.whole.outcome = Outcome::Ambiguous;
  r.whole.before.counters = {{"controlLow", 0.6}, {"controlHigh", 1.4}};
  EXPECT_HAS(rendered(r), "factors not trusted: the original against itself gave 0.60–1.40x in the same run");
}

TEST(SearchText, NamesWhatIsLeftOut) {
  Report r = sampleReport();
  r.search[1].set = {"large", "slow"};
  EXPECT_HAS(rendered(r), "(without item 2; with item 3)");
  r.search[1].set = {};
  EXPECT_HAS(rendered(r), "(without items 1, 2)");
}

TEST(SearchText, NamesWhatCameFirstInTheSameSet) {
  Report r = sampleReport();
  r.search[1].set = {"small", "large"};
  r.search[1].against = {"large", "small"};
  EXPECT_HAS(rendered(r), "(item 2 before the others)");
}

TEST(SearchText, TwoProposalsForOnePlaceAreOneItem) {
  Report r = sampleReport();
  Candidate other = r.candidates[1];
  other.id = "other";
  r.candidates.push_back(other);
  r.search[1].against = {"small", r.candidates[1].id};
  r.search[1].set = {"small", "other"};
  EXPECT_HAS(rendered(r), "(with another proposal of item 1)");
  r.search[1].set = {"small"};
  r.search[1].against = {"small", r.candidates[1].id, "other"};
  EXPECT_HAS(rendered(r), "(without item 1)");
  r.search[1].set = {"small", "other"};
  EXPECT_HAS(rendered(r), "(without a part of item 1)");
}

TEST(SearchText, IsAbsentWhereNothingWasTried) {
  Report r = sampleReport();
  r.search.clear();
  EXPECT_LACKS(rendered(r), "What was tried together");
}

TEST(SearchText, ShowsNoFigureThatWasNotMeasured) {
  Report r = sampleReport();
  r.search[1].outcome = Outcome::NotRun, r.search[1].speedup = {};
  r.search[1].decision = "not tried: the budget was spent (--budget)";
  EXPECT_HAS(rendered(r), "(with item 3); not tried: the budget was spent (--budget)");
}

TEST(SearchText, SaysWhichItemMakesAPlace) {
  Report r = sampleReport();
  r.candidates[0].round = 2;
  r.candidates[0].follows = {"large"};
  EXPECT_HAS(rendered(r), "its places are made by item 1");
}

TEST(SearchText, AnItemDoesNotCompeteWithThoseThatMadeItsPlace) {
  Report r = sampleReport();
  r.findings[0].where = r.findings[1].where;
  EXPECT_HAS(rendered(r), "overlaps item 1");
  r.candidates[0].round = 2;
  EXPECT_LACKS(rendered(r), "overlaps item");
}

}  // namespace
}  // namespace kadvise

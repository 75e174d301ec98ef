// What the text says of a single item: its worth, its standing, and why it is not advised.
#include <gtest/gtest.h>

#include "reports/headline.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

TEST(Advice, SaysWhatAnItemIsWorth) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "/home/user/project/model.py:20 in encoder.layers.F2, and 2 sites alike");
  EXPECT_HAS(text, "saves 300 µs a call, 2.00x (1.95–2.05, 95%) in its region; outputs equal (within-bound)");
  EXPECT_HAS(text, "with: title of large (level 5, reassociates)");
  EXPECT_HAS(text, "declared difference: rows masked entirely: NaN becomes 0");
  EXPECT_HAS(text, "all of them: kadvise model.pt --input 'int64[2,128]<1000' --apply -o model.fast.pt");
}

TEST(Advice, SaysHowNearOutputsCameToTheirBounds) {
  TextStyle verbose;
  verbose.verbose = true;
  std::string text = rendered(sampleReport(), verbose);
  EXPECT_HAS(text,
             "outputs: nearest to its bound with inputs “large” (output 1): 99.9 % of errors 3 ulp of 4 "
             "allowed (75 %); "
             "every bit equal in 1 of 4 cases");
  EXPECT_LACKS(rendered(sampleReport()), "nearest to its bound");
  Report whole = sampleReport();
  whole.caseErrors["whole"] = {sampleCases()[3]};
  EXPECT_HAS(rendered(whole), "outputs of the whole: every bit equal in 1 case");
}

TEST(Advice, SaysWhatToWriteInEachLanguage) {
  TextStyle verbose;
  verbose.verbose = true;
  std::string text = rendered(sampleReport(), verbose);
  EXPECT_HAS(text, "write instead: `y = fused(x, r)` in C++: `fused(x, r);`");
}

TEST(Advice, CountsTheKernelsOfARegion) {
  Report r = sampleReport();
  r.verdicts[1].before.kernels.resize(5);
  r.verdicts[1].after.kernels.resize(1);
  EXPECT_HAS(rendered(r), "in its region; outputs equal (within-bound), kernels 5 → 1");
}

TEST(Advice, SaysWhyTheRestIsNotAdvised) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "title of slow [fusion/add-layer-norm]");
  EXPECT_HAS(text,
             "slower: 0.80x (0.75–0.85, 95%) in its region; outputs equal (within-bound): it is slower in "
             "its region");
  EXPECT_HAS(text, "- fusion/conv-batch-norm at model.py:7 in stem: %bn is in training mode");
  EXPECT_HAS(text, "1 rule found nothing (kadvise why-not RULE model.pt says why");
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_HAS(rendered(sampleReport(), verbose), "fusion/attention-written-out: no softmax");
  EXPECT_HAS(text, "- warning: a message about F4 [graph-break/host-read]");
}

TEST(Advice, ShowsWhatIsNoPlaceOfARuleOnlyOnRequest) {
  Report r = sampleReport();
  r.refused[0].mismatch = {"", "is no place for this rule: the stride is not the size of the kernel"};
  EXPECT_LACKS(rendered(r), "Refused, and why");
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_HAS(rendered(r, verbose), "model.py:7 in stem: the stride is not");
}

TEST(Advice, ClaimsNoGainWithoutOne) {
  Report r = sampleReport();
  r.verdicts[1].outcome = Outcome::Same;
  r.verdicts[0].outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "no difference: 2.00x (1.95–2.05, 95%) in its region");
  EXPECT_HAS(rendered(r), ": 1.20x (1.15–1.25, 95%) in its region");
  EXPECT_HAS(rendered(r), "no clear gain, because ");
  EXPECT_LACKS(rendered(r), "saves");
}

TEST(Advice, SaysWhyAFigureSettlesNothing) {
  Report r = sampleReport();
  auto& v = r.verdicts[0];
  v.outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "because the interval does not clear 2 %, with 1 round of measurement");
  v.before.counters = {{"controlLow", 0.6}, {"controlHigh", 1.4}};
  EXPECT_HAS(rendered(r), "because the original against itself gave 0.60–1.40x in the same run");
  v.before.timings[0].throttled = true;
  EXPECT_HAS(rendered(r), "because the machine was busy with other work");
  v.before.timings[0].throttled = false;
  v.before.counters.clear();
  v.reason = "1.2x was not confirmed in a fresh process: 0.9x";
  EXPECT_HAS(rendered(r), "because a fresh process did not confirm it");
}

TEST(Advice, ShowsNoFigureThatNoReplacementReachesOnACpu) {
  Report r = sampleReport();
  r.verdicts[0].outcome = Outcome::Ambiguous;
  r.verdicts[0].speedup = {67.54, 1707.85, 2101.84};
  EXPECT_HAS(rendered(r), "1707.85x") << "a GPU's figures have a roofline to hold them";
  r.device.kind = "cpu";
  EXPECT_HAS(
      rendered(r),
      "above 20x on a CPU, so calls of the original have likely stalled or the machine was busy: nothing can "
      "be said of its speed; outputs equal");
  EXPECT_LACKS(rendered(r), "1707");
  r.whole.speedup = {67.54, 1707.85, 2101.84};
  EXPECT_TRUE(headline(r).text.starts_with("no clear result on")) << headline(r).text;
  Report levels;
  levels.device.kind = "cpu";
  levels.levels = sampleLevels();
  levels.levels->at(1).verdict.speedup = {67.54, 1707.85, 2101.84};
  EXPECT_LACKS(rendered(levels), "1707");
}

TEST(Advice, SaysThatAnItemSeemsSlowerWhereItsWholeIntervalDoes) {
  Report r = sampleReport();
  r.verdicts[0].outcome = Outcome::Ambiguous;
  r.verdicts[0].speedup = {0.18, 0.21, 0.26};
  r.verdicts[0].before.timings[0].throttled = true;
  EXPECT_HAS(
      rendered(r),
      "it seems slower: 0.21x (0.18–0.26, 95%) in its region, but the machine was busy with other work");
  EXPECT_LACKS(rendered(r), "no clear gain, because the machine");
  r.verdicts[0].speedup.high = 1.1;
  EXPECT_HAS(
      rendered(r),
      "no clear gain, because the machine was busy with other work (run it again on a quiet machine): 0.21x");
}

TEST(Advice, SaysKeptOnlyOfAModuleThatWasWritten) {
  Report r = sampleReport();
  r.verdicts[0].outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "would be kept in an optimised module (--keep faster leaves it out)");
  r.output = Output{"fast.pt", false, "it is slower"};
  EXPECT_HAS(rendered(r), "would be kept in");
  r.output->written = true;
  EXPECT_HAS(rendered(r), " kept in the optimised module (--keep faster");
  EXPECT_LACKS(rendered(r), "would be kept");
}

TEST(Advice, SaysWhereAnItemTookOnlySomeOfItsPlaces) {
  Report r = sampleReport();
  r.composition.applied[1].sites = 2;
  EXPECT_HAS(rendered(r), "used at 2 of 3 places; other items took the rest");
  EXPECT_HAS(rendered(r), "saves 200 µs a call") << "of the places where it is used";
}

TEST(Advice, ShowsADisprovedCandidateWithItsReason) {
  Report r = sampleReport();
  r.verdicts[2] = sampleVerdict("slow", Outcome::WrongOutput, 1, 0);
  r.verdicts[2].reason = "output 0 differs by 0.3";
  r.composition.dropped.clear();
  EXPECT_HAS(rendered(r), "outputs differ: output 0 differs by 0.3");
  r.verdicts[2].outcome = Outcome::Failed;
  r.verdicts[2].reason = "kadvise-measure was killed by SIGSEGV while checking slow (2 s)";
  EXPECT_HAS(rendered(r), "failed: kadvise-measure was killed by SIGSEGV");
}

TEST(Advice, ShowsProposalsThatWereNotMeasured) {
  Report r = sampleReport();
  r.verdicts.clear();
  r.composition = {};
  r.whole = {};
  r.whole.reason = "not measured (--no-verify)";
  std::string text = rendered(r);
  EXPECT_HAS(text, "Proposals, not measured");
  EXPECT_HAS(text, "estimate: 4 MiB less traffic a call, 1.30x in its region (bytes moved)");
  EXPECT_LACKS(text, "saves");
  EXPECT_LACKS(text, "--apply");
  EXPECT_LACKS(text, "How this was measured");
  EXPECT_HAS(text, "About this run");
}

TEST(Advice, EqualFindingsOfEqualLayersAreOneRow) {
  Report r = sampleReport();
  for (int layer = 0; layer < 12; ++layer) {
    r.findings.push_back(sampleFinding("L" + std::to_string(layer), "graph-break/in-place", 70));
    r.findings.back().message = "changes memory";
  }
  EXPECT_HAS(rendered(r), "in encoder.layers.L0, and 11 sites alike");
}

TEST(Advice, CountsEqualPlacesOnce) {
  Report r = sampleReport();
  r.findings[3].message = "this product runs in float32 (and 1 more of the kind)";
  r.findings[3].related = {r.findings[0].where};
  EXPECT_HAS(rendered(r), "and 1 site alike");
  EXPECT_LACKS(rendered(r), "more of the kind");
}

TEST(Advice, WhatABranchIsDecidedByIsNoSecondPlace) {
  Report r = sampleReport();
  r.findings[3].rule = "graph-break/branch-on-data";
  r.findings[3].related = {r.findings[0].where};
  EXPECT_LACKS(rendered(r), "1 site alike");
  r.findings[3].message += " (and 2 more of the kind)";
  EXPECT_HAS(rendered(r), "model.py:40 in encoder.layers.F4, and 2 sites alike");
}

TEST(Advice, OperatorsOfOnePlaceAreNoFurtherPlaces) {
  Report r = sampleReport();
  r.findings[3].rule = "memory/recomputed-from-shapes";
  r.findings[3].related = {r.findings[0].where, r.findings[1].where};
  r.findings[3].estimate->savedUs = 2;
  EXPECT_LACKS(rendered(r), "F4, and 2 sites");
  EXPECT_HAS(rendered(r), "estimate: about 2 µs less a call, 4 MiB less traffic");
}

TEST(Advice, TellsProposalsForOnePlaceAsOneItem) {
  Report r = sampleReport();
  r.candidates[2].findings = r.candidates[0].findings;  // "slow" for the place of "small"
  r.candidates[2].level = 1;
  std::string text = rendered(r);
  EXPECT_HAS(text, "or with: title of slow (level 1, reassociates): slower: 0.80x");
  EXPECT_HAS(text, " 2. ");
  EXPECT_LACKS(text, " 3. ");
}

TEST(Advice, NamesAnotherProposalOfTheItemByItsPlaceThere) {
  Report r = sampleReport();
  r.candidates[2].findings = r.candidates[0].findings;  // "slow" for the place of "small"
  r.composition.dropped = {{"slow", "another replacement of the same place saves more (small)"}};
  EXPECT_HAS(rendered(r), "another replacement of the same place saves more (the first of this item)");
  r.composition.dropped = {{"slow", "another replacement of the same place saves more (large)"}};
  EXPECT_HAS(rendered(r), "another replacement of the same place saves more (item 1)");
}

TEST(Advice, TellsProposalsThatReadTheSameAsOneItem) {
  Report r = sampleReport();
  r.verdicts.clear();
  r.composition = {};
  r.findings[1].where = r.findings[0].where;  // queries and keys of one line
  r.findings[1].message = r.findings[0].message;
  r.candidates[1].domain = r.candidates[0].domain;
  r.candidates[1].title = r.candidates[0].title;
  std::string text = rendered(r);
  EXPECT_HAS(text, "of another form");
  EXPECT_HAS(text, " 2. ");
  EXPECT_LACKS(text, " 3. ");
}

TEST(Advice, CountsAndWeighsFindingsWithEqualPlaces) {
  Report r = sampleReport();
  r.findings[3].related = {r.findings[0].where, r.findings[1].where};
  r.findings[3].estimate->savedUs = 2;
  EXPECT_HAS(rendered(r), "model.py:40 in encoder.layers.F4, and 2 sites alike");
  EXPECT_HAS(rendered(r), "estimate: about 6 µs less a call, 12 MiB less traffic");
}

}  // namespace
}  // namespace kadvise

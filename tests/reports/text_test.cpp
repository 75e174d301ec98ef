// The report for people: the verdict first, an honest word for each outcome, and lines that fit.
#include "reports/text.h"

#include <gtest/gtest.h>

#include <sstream>

#include "reports/headline.h"
#include "reports/layout.h"
#include "reports/ranking.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

std::string flat(std::string text) {  // as one line, so that wrapping does not matter
  std::string out;
  for (char c : text) {
    if (c == '\n') c = ' ';
    if (c != ' ' || (!out.empty() && out.back() != ' ')) out += c;
  }
  return out;
}

std::string rendered(const Report& r, TextStyle style = {}) { return flat(renderText(r, style)); }

#define EXPECT_HAS(text, part) EXPECT_NE((text).find(part), std::string::npos) << (text)
#define EXPECT_LACKS(text, part) EXPECT_EQ((text).find(part), std::string::npos) << (text)

std::string headlineOf(Outcome outcome, const std::string& reason = "", double speedup = 1.01) {
  Report r = sampleReport();
  r.whole = sampleVerdict("whole", outcome, speedup, 100);
  r.whole.reason = reason;
  return headline(r).text;
}

TEST(Headline, SaysHowMuchFaster) {
  EXPECT_EQ(headline(sampleReport()).text,
            "1.42x faster (1.37–1.47, 95%) on NVIDIA H200, outputs equal (within-bound), kernels 412 → 286");
}

TEST(Headline, HasAWordForEachOutcome) {
  EXPECT_EQ(headlineOf(Outcome::Same),
            "not faster: 1.01x (0.96–1.06, 95%) on NVIDIA H200, outputs equal (within-bound)");
  EXPECT_EQ(headlineOf(Outcome::Slower, "", 0.8),
            "slower: 0.80x (0.75–0.85, 95%) on NVIDIA H200, outputs equal (within-bound)");
  EXPECT_EQ(headlineOf(Outcome::Ambiguous, "", 9),
            "no clear result on NVIDIA H200, outputs equal (within-bound)");
  EXPECT_EQ(headlineOf(Outcome::WrongOutput, "output 0"), "the outputs differ, nothing is advised: output 0");
  EXPECT_EQ(headlineOf(Outcome::Failed, "out of memory"),
            "the optimised module could not be measured: out of memory");
  EXPECT_EQ(headlineOf(Outcome::NotRun, "nothing to apply"), "nothing to apply");
}

TEST(Readiness, SaysHowManyPiecesAndWhatCutsThem) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "CUDA graph: 2 regions with 88 % of the traced bytes; cut at");
  EXPECT_HAS(text, "Fusion: nothing stands in the way");
  EXPECT_HAS(text, "torch.export: would stop; torch.compile would make 2 graphs of it; cut at");
  Report r = sampleReport();
  r.rules["graph-break/host-read"] = {
      "read", {{"What to write instead", "Keep it on the\nGPU (`y.max()`). More words."}}};
  EXPECT_HAS(rendered(r), "graph-break/host-read: Keep it on the GPU (`y.max()`).");
  EXPECT_LACKS(rendered(r), "More words");
}

TEST(Readiness, IsNotClaimedWhereNobodyLooked) {
  Report r = sampleReport();
  r.readiness->judgedBy.clear();
  EXPECT_HAS(rendered(r), "not judged: no rule that looks for graph breaks was selected");
  r.readiness.reset();
  EXPECT_LACKS(rendered(r), "Readiness");
}

TEST(Report, EqualFindingsOfEqualLayersAreOneRow) {
  Report r = sampleReport();
  for (int layer = 0; layer < 12; ++layer) {
    r.findings.push_back(sampleFinding("L" + std::to_string(layer), "graph-break/in-place", 70));
    r.findings.back().message = "changes memory";
  }
  EXPECT_HAS(rendered(r), "in encoder.layers.L0, and 11 sites alike");
}

TEST(Headline, IsHonestWithoutAGpu) {
  Report r = sampleReport();
  r.device = {"cpu", 0, "a processor", 0};
  r.whole.before.kernels.clear();
  EXPECT_EQ(headline(r).text,
            "1.42x faster (1.37–1.47, 95%) on the CPU (2 threads), outputs equal (within-bound); nothing was "
            "timed on a GPU");
  EXPECT_HAS(rendered(r), "timed on the CPU (2 threads); nothing was timed on a GPU");
  EXPECT_LACKS(rendered(sampleReport()), "on a GPU");
}

TEST(Headline, DoesNotSpeakOfFiguresThatItLacks) {
  Report r = sampleReport();
  r.whole.speedup = {std::nan(""), 1.4, std::nan("")};
  EXPECT_HAS(headline(r).text, "1.40x faster on NVIDIA H200");
  r.whole.outcome = Outcome::Same;
  r.whole.speedup.mid = std::nan("");
  EXPECT_EQ(headline(r).text, "outputs equal, not timed");
}

TEST(Ranking, IsByTimeSavedOverAllSites) {
  Report r = sampleReport();
  auto advice = rankedAdvice(r);
  ASSERT_EQ(advice.size(), 3u);
  EXPECT_EQ(advice[0].candidate->id, "large");
  EXPECT_NEAR(advice[0].savedUs, 300, 1e-6);  // half of 200 us at three sites
  EXPECT_EQ(advice[1].candidate->id, "small");
  EXPECT_EQ(advice[2].standing, Standing::NotUsed);
}

TEST(Ranking, EqualButNotTimedIsEqual) {
  Verdict v;
  v.accuracy.grade = "bitwise";
  EXPECT_TRUE(outputsEqual(v));
  v.accuracy.grade = "different";
  EXPECT_FALSE(outputsEqual(v));
  EXPECT_FALSE(outputsEqual(Verdict{}));
}

TEST(Text, ListsWhatToChangeFirst) {
  std::string text = rendered(sampleReport());
  auto headlineAt = text.find("1.42x faster"), large = text.find("1. a message about F2"),
       small = text.find("2. a message about F1");
  auto byHand = text.find("Also found"), unused = text.find("Found, but not advised"),
       refused = text.find("Refused, and why");
  auto not_ = text.find("1 rule found nothing"), method = text.find("How this was measured");
  std::vector<std::size_t> order = {headlineAt, large, small, byHand, unused, refused, not_, method};
  EXPECT_TRUE(std::is_sorted(order.begin(), order.end())) << text;
  EXPECT_NE(method, std::string::npos);
}

TEST(Text, SaysWhatAnItemIsWorth) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "/home/user/project/model.py:20 in encoder.layers.F2, and 2 sites alike");
  EXPECT_HAS(text, "saves 300 µs a call, 2.00x (1.95–2.05, 95%) in its region; outputs equal (within-bound)");
  EXPECT_HAS(text, "with: title of large (level 5, reassociates)");
  EXPECT_HAS(text, "declared difference: rows masked entirely: NaN becomes 0");
  EXPECT_HAS(text, "all of them: kadvise model.pt --input 'int64[2,128]<1000' --apply -o model.fast.pt");
}

TEST(Text, SaysWhyTheRestIsNotAdvised) {
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

TEST(Text, ClaimsNoGainWithoutOne) {
  Report r = sampleReport();
  r.verdicts[1].outcome = Outcome::Same;
  r.verdicts[0].outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "not faster: 2.00x (1.95–2.05, 95%) in its region");
  EXPECT_HAS(rendered(r), "no clear gain: 1.20x (1.15–1.25, 95%) in its region");
  EXPECT_LACKS(rendered(r), "saves");
}

TEST(Text, SaysWhyAFigureSettlesNothing) {
  Report r = sampleReport();
  auto& v = r.verdicts[0];
  v.outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "and the interval does not clear 2 %, with 1 round of measurement");
  v.before.counters = {{"controlLow", 0.6}, {"controlHigh", 1.4}};
  EXPECT_HAS(rendered(r), "and the original against itself gave 0.60–1.40x in the same run");
  v.before.timings[0].throttled = true;
  EXPECT_HAS(rendered(r), "and the machine was busy with other work");
  v.before.timings[0].throttled = false;
  v.before.counters.clear();
  v.reason = "1.2x was not confirmed in a fresh process: 0.9x";
  EXPECT_HAS(rendered(r), "and a fresh process did not confirm it");
}

TEST(Text, ShowsNoFigureThatNoReplacementReachesOnACpu) {
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

TEST(Text, SaysThatAnItemSeemsSlowerWhereItsWholeIntervalDoes) {
  Report r = sampleReport();
  r.verdicts[0].outcome = Outcome::Ambiguous;
  r.verdicts[0].speedup = {0.18, 0.21, 0.26};
  r.verdicts[0].before.timings[0].throttled = true;
  EXPECT_HAS(
      rendered(r),
      "it seems slower: 0.21x (0.18–0.26, 95%) in its region, but the machine was busy with other work");
  EXPECT_LACKS(rendered(r), "no clear gain: 0.21x");
  r.verdicts[0].speedup.high = 1.1;
  EXPECT_HAS(rendered(r), "no clear gain: 0.21x");
}

TEST(Text, SaysKeptOnlyOfAModuleThatWasWritten) {
  Report r = sampleReport();
  r.verdicts[0].outcome = Outcome::Ambiguous;
  EXPECT_HAS(rendered(r), "would be kept in an optimised module (--keep faster leaves it out)");
  r.output = Output{"fast.pt", false, "it is slower"};
  EXPECT_HAS(rendered(r), "would be kept in");
  r.output->written = true;
  EXPECT_HAS(rendered(r), " kept in the optimised module (--keep faster");
  EXPECT_LACKS(rendered(r), "would be kept");
}

TEST(Pair, SaysTheErrorOnce) {
  Report r = sampleReport();
  r.pair = PairCheck{"module", "other.pt", "", ""};
  r.whole.accuracy.worstCase = "signed";
  EXPECT_HAS(rendered(r), "worst case: signed");
  r.whole.outcome = Outcome::WrongOutput;
  r.whole.reason = "output 0, case signed: max error 491234 ulp";
  EXPECT_HAS(rendered(r), "the outputs differ: output 0, case signed: max error 491234 ulp");
  EXPECT_LACKS(rendered(r), "worst case");
}

TEST(Bench, SaysWhatAShareAboveThatOfACopyMeans) {
  Report r;
  r.bench = Bench{"aten::add", 1 << 25, 1e11, {{}}, {}};
  r.bench->rows[0].shareOfCopy = 1;
  EXPECT_LACKS(rendered(r), "fit in the cache");
  r.bench->rows[0].shareOfCopy = 1.83;
  EXPECT_HAS(rendered(r), "above 100 % of a copy: the operands fit in the cache, or the machine was busy");
}

TEST(Text, SaysWhereAnItemTookOnlySomeOfItsPlaces) {
  Report r = sampleReport();
  r.composition.applied[1].sites = 2;
  EXPECT_HAS(rendered(r), "used at 2 of 3 places; other items took the rest");
  EXPECT_HAS(rendered(r), "saves 200 µs a call") << "of the places where it is used";
}

TEST(Text, CountsEqualPlacesOnce) {
  Report r = sampleReport();
  r.findings[3].message = "this product runs in float32 (and 1 more of the kind)";
  r.findings[3].related = {r.findings[0].where};
  EXPECT_HAS(rendered(r), "and 1 site alike");
  EXPECT_LACKS(rendered(r), "more of the kind");
}

TEST(Text, ExplainsTheFigureOfTheWhole) {
  Report r = sampleReport();
  r.whole.reason = "1.420x in 37 ABBA units";
  EXPECT_HAS(rendered(r), "the whole: 1.420x in 37 ABBA units");
  EXPECT_HAS(rendered(r), "cpu threads 2, torch 2.11.0");
}

TEST(Text, ShowsADisprovedCandidateWithItsReason) {
  Report r = sampleReport();
  r.verdicts[2] = sampleVerdict("slow", Outcome::WrongOutput, 1, 0);
  r.verdicts[2].reason = "output 0 differs by 0.3";
  r.composition.dropped.clear();
  EXPECT_HAS(rendered(r), "outputs differ: output 0 differs by 0.3");
  r.verdicts[2].outcome = Outcome::Failed;
  r.verdicts[2].reason = "kadvise-measure was killed by SIGSEGV while checking slow (2 s)";
  EXPECT_HAS(rendered(r), "failed: kadvise-measure was killed by SIGSEGV");
}

TEST(Text, ShowsProposalsThatWereNotMeasured) {
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
}

TEST(Text, OrdersProposalsThatWereNotMeasuredByTheirEstimate) {
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

TEST(Text, NeverLetsAnEstimateOvertakeAMeasurement) {
  Report r = sampleReport();
  r.findings[0].estimate->savedUs = 1e9;  // of "small", which was measured to save less than "large"
  EXPECT_EQ(rankedAdvice(r)[0].candidate->id, "large");
  EXPECT_LACKS(rendered(r).substr(0, rendered(r).find("Also found")), "estimate:");
}

TEST(Text, TellsProposalsForOnePlaceAsOneItem) {
  Report r = sampleReport();
  r.candidates[2].findings = r.candidates[0].findings;  // "slow" for the place of "small"
  r.candidates[2].level = 1;
  std::string text = rendered(r);
  EXPECT_HAS(text, "or with: title of slow (level 1, reassociates): slower: 0.80x");
  EXPECT_HAS(text, " 2. ");
  EXPECT_LACKS(text, " 3. ");
}

TEST(Text, TellsProposalsThatReadTheSameAsOneItem) {
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

TEST(Text, WhyNotOfManyRulesIsALineForEachTheNearestFirst) {
  Report r = sampleReport();
  r.whyNot = WhyNot{};
  for (int i = 0; i < 20; ++i) {
    std::string rule = "fusion/rule-" + std::to_string(i);
    r.whyNot->rules.push_back(rule);
    NearPlace near{rule, r.findings[0].where, 1, i, 20, {}};
    near.differences.push_back({near.where, {"the operand", "is another one"}});
    r.whyNot->near.push_back(near);
  }
  std::string text = rendered(r);
  EXPECT_HAS(text, "fusion/rule-19: 19 of 20 operators at");
  EXPECT_LT(text.find("rule-19"), text.find("rule-18"));
  EXPECT_LACKS(text, "rule-10");  // no more than half of it is there
  EXPECT_HAS(text, "Of 11 rules more nothing is near.");
}

TEST(Text, CountsAndWeighsFindingsWithEqualPlaces) {
  Report r = sampleReport();
  r.findings[3].related = {r.findings[0].where, r.findings[1].where};
  r.findings[3].estimate->savedUs = 2;
  EXPECT_HAS(rendered(r), "model.py:40 in encoder.layers.F4, and 2 sites alike");
  EXPECT_HAS(rendered(r), "estimate: about 6 µs less a call, 12 MiB less traffic");
}

TEST(Text, SaysWhereTheTimeGoesByEstimateOnly) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "Where the time goes (estimate for H100)");
  EXPECT_HAS(text, "at best 1 ms a call: 22.35 GFLOP, 572 MiB moved, 412 kernels (H100: no GPU is in use)");
  EXPECT_HAS(text, "80 % in encoder.layer.*.dense (2x), 10 % in the module itself, 10 % in head");
  EXPECT_HAS(text, "without a formula, counted by their operands: aten::odd (2); 1 loop of unknown length");
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_HAS(rendered(sampleReport(), verbose), "80.0 % 800 µs encoder.layer.*.dense (2x) Linear");
  Report none = sampleReport();
  none.estimate.reset();
  EXPECT_LACKS(rendered(none), "Where the time goes");
}

TEST(Text, SaysWhatMemoryIsFullOfAtItsPeak) {
  EXPECT_HAS(rendered(sampleReport()),
             "peak activations 412 MiB at model.py:7 in encoder.layers.3.fc1; largest: 100 MiB "
             "float32[8,128,25600] of aten::gelu at "
             "model.py:8 in encoder.layers.3.act; beside them parameters 418 MiB and inputs 4 KiB");
}

TEST(Text, SaysWhetherTheFileWasWritten) {
  Report r = sampleReport();
  r.output = Output{"fast.pt", true, ""};
  EXPECT_HAS(rendered(r), "written: fast.pt");
  EXPECT_LACKS(rendered(r), "all of them:");
  r.output = Output{"fast.pt", false, "it is slower"};
  EXPECT_HAS(rendered(r), "not written: it is slower");
}

TEST(Text, PutsErrorsBeforeEverythingElse) {
  Report r = sampleReport();
  r.errors = {{"page.md:3", "no title"}};
  std::string text = rendered(r);
  EXPECT_LT(text.find("page.md:3: no title"), text.find("What to change"));
}

TEST(Text, CutsLongListsUnlessVerbose) {
  Report r = sampleReport();
  for (int i = 0; i < 30; ++i)
    r.findings.push_back(sampleFinding("H" + std::to_string(i), "graph-break/host-read", 100 + i));
  EXPECT_HAS(rendered(r), "… and 21 more (--verbose lists all)");
  TextStyle verbose;
  verbose.verbose = true;
  EXPECT_LACKS(rendered(r, verbose), "more (--verbose");
  EXPECT_HAS(rendered(r, verbose), "y = fused(x, r)");
}

TEST(Text, FitsItsWidth) {
  Report r = sampleReport();
  r.notes = {std::string("a note of ") +
             "many words that go on and on and on and on and on and on and on and on and on and on"};
  r.findings[3].where.snippet = std::string(300, 'x');
  for (int width : {60, 80, 120}) {
    TextStyle style;
    style.width = width;
    std::istringstream lines(renderText(r, style));
    for (std::string line; std::getline(lines, line);)
      EXPECT_LE(columns(line), static_cast<std::size_t>(width)) << line;
  }
}

TEST(Text, KeepsTheEssenceOnTheFirstScreen) {
  TextStyle style;
  style.width = 100;
  std::istringstream lines(renderText(sampleReport(), style));
  int number = 0, whatToChange = 0, apply = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    if (line.rfind("What to change", 0) == 0) whatToChange = number;
    if (line.rfind("all of them", 0) == 0) apply = number;
  }
  EXPECT_LE(whatToChange, 8);
  EXPECT_LE(apply, 24);
}

TEST(Text, ColoursOnlyWhenAsked) {
  EXPECT_LACKS(renderText(sampleReport(), {}), "\x1b");
  TextStyle colored;
  colored.colored = true;
  EXPECT_HAS(renderText(sampleReport(), colored), "\x1b[1;32m1.42x faster");
}

TEST(Text, SurvivesAnEmptyReport) { EXPECT_HAS(rendered(Report{}), "not measured"); }

TEST(Text, QuotesForTheShell) {
  EXPECT_EQ(shellQuoted("model.pt"), "model.pt");
  EXPECT_EQ(shellQuoted("int64[2]<3"), "'int64[2]<3'");
  EXPECT_EQ(shellQuoted("it's"), "'it'\\''s'");
  EXPECT_EQ(shellQuoted(""), "''");
}

TEST(Layout, CountsCharactersNotBytes) {
  EXPECT_EQ(columns("1.39–1.45 µs"), 12u);
  EXPECT_EQ(firstColumns("1.39–1.45 µs", 12), "1.39–1.45 µs");
  EXPECT_EQ(firstColumns("1.39–1.45 µs", 6), "1.39–…");
}

TEST(Layout, FormatsWithThreeDigits) {
  EXPECT_EQ(formatUs(0.5), "0.5 µs");
  EXPECT_EQ(formatUs(411.7), "412 µs");
  EXPECT_EQ(formatUs(1449), "1.45 ms");
  EXPECT_EQ(formatUs(123456), "123 ms");
  EXPECT_EQ(formatUs(2.5e6), "2.5 s");
  EXPECT_EQ(formatBytes(437928960), "418 MiB");
  EXPECT_EQ(formatBytes(12), "12 B");
  EXPECT_EQ(formatCount(109482240), "109.5 M");
}

TEST(Layout, TakesControlCharactersOut) { EXPECT_EQ(printable("a\x1b[31m\nb"), "a [31m b"); }

}  // namespace
}  // namespace kadvise

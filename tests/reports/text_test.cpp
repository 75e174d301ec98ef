// The report for people as a whole: what comes first, what each section holds, and lines that fit.
#include "reports/text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "reports/layout.h"
#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

TEST(Text, CommandsToCopyStayOnOneLineWhateverThePath) {
  EXPECT_EQ(shellQuoted("a b.pt"), "'a b.pt'");
  EXPECT_EQ(shellQuoted("a\nrm \x1b'x.pt"), R"($'a\012rm \033\'x.pt')");
}

TEST(Readiness, SaysHowManyPiecesAndWhatCutsThem) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "CUDA graph: 2 regions with 88 % of the traced bytes; cut at");
  EXPECT_HAS(text, "Fusion: nothing stands in the way");
  EXPECT_HAS(text, "torch.compile: 2 graphs; cut at");
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

TEST(Pair, SaysTheErrorOnce) {
  Report r = sampleReport();
  r.pair = PairCheck{"module", "other.pt", "", "", "", true, {}};
  r.whole.accuracy.worstCase = "signed";
  EXPECT_HAS(rendered(r), "worst case: signed");
  r.whole.outcome = Outcome::WrongOutput;
  r.whole.reason = "output 0, case signed: max error 491234 ulp";
  EXPECT_HAS(rendered(r), "the outputs differ: output 0, case signed: max error 491234 ulp");
  EXPECT_LACKS(rendered(r), "worst case");
}

TEST(Pair, CallsTheSecondModuleByItsFile) {
  Report r = sampleReport();
  r.pair = PairCheck{"module", "other.pt", "", "", "", true, {}};
  r.whole.outcome = Outcome::Failed;
  r.whole.reason = "the candidate fails: forward() is missing value for argument 'y'";
  EXPECT_HAS(rendered(r), "undecided: other.pt fails: forward() is missing value for argument 'y'");
  r.whole.reason += ". Declaration: forward(__torch__.Two self, Tensor x, Tensor y) -> Tensor";
  EXPECT_HAS(rendered(r), "undecided: the signatures differ: other.pt fails: forward() is missing value");
}

TEST(Pair, SaysANoteBeforeWhyASavedOutputDiffers) {
  Report r = sampleReport();
  r.notes = {"saved in training mode"};
  r.pair = PairCheck{"expected", "out.pt", "", "", "", false, {}};
  r.whole.outcome = Outcome::WrongOutput;
  std::string text = rendered(r);
  EXPECT_LT(text.find("note: saved in training mode"), text.find("the outputs differ"));
}

TEST(Bench, SaysWhatAShareAboveThatOfACopyMeans) {
  Report r;
  r.bench = Bench{"aten::add", 1 << 25, 1e11, {{}}, {}};
  r.bench->rows[0].shareOfCopy = 1;
  EXPECT_LACKS(rendered(r), "fit in the cache");
  r.bench->rows[0].shareOfCopy = 1.83;
  EXPECT_HAS(rendered(r), "above 100 % of a copy: the operands fit in the cache, or the machine was busy");
}

TEST(CudaGraphs, AreSaidToBeAppliedWithWhatTheyGainAndKeep) {
  Report r = sampleReport();
  r.cudaGraph = CudaGraphUse{GraphStatus::Applied, "", 1, 40, 40, 3 << 20, {}};
  r.verdicts.push_back(sampleVerdict(kCudaGraphVerdict, Outcome::Faster, 1.5, 100));
  std::string text = rendered(r);
  EXPECT_HAS(text,
             "CUDA graphs all of forward is captured once for each set of shapes, then replayed; 1.50x");
  EXPECT_HAS(text, "against the same module without; they keep 3 MiB of GPU memory");
  EXPECT_HAS(text, " · in CUDA graphs");
  r.cudaGraph->launches = 30;
  r.cudaGraph->parts = 2;
  EXPECT_HAS(rendered(r), "2 parts with 30 of 40 operators are captured");
}

TEST(CudaGraphs, AreSaidToBeLeftOutAndWhy) {
  Report r = sampleReport();
  EXPECT_LACKS(rendered(r), "CUDA graphs");
  r.cudaGraph = CudaGraphUse{};
  r.cudaGraph->reason = "they need a GPU, and none is in use";
  EXPECT_HAS(rendered(r), "CUDA graphs not tried: they need a GPU, and none is in use");
  r.cudaGraph = CudaGraphUse{
      GraphStatus::NotCapturable, "no part of forward that can be captured is large enough", 0, 0, 40, 0, {}};
  r.cudaGraph->blockers = {{"graph-break/host-read", r.findings[0].where, "aten::item reads one value"}};
  EXPECT_HAS(rendered(r), "cannot be used: no part of forward");
  EXPECT_HAS(rendered(r), ": aten::item reads one value [graph-break/host-read]");
  r.cudaGraph = CudaGraphUse{GraphStatus::NotWorthIt, "no faster with them", 1, 40, 40, 0, {}};
  EXPECT_HAS(rendered(r), "not worth it: no faster with them");
}

TEST(Text, ExplainsTheFigureOfTheWhole) {
  Report r = sampleReport();
  r.whole.reason = "1.420x in 37 ABBA units";
  EXPECT_HAS(rendered(r), "the whole: 1.420x in 37 ABBA units");
  EXPECT_HAS(rendered(r), "cpu threads 2, torch 2.11.0");
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

TEST(Text, SaysWhereTheTimeGoesByEstimateOnly) {
  std::string text = rendered(sampleReport());
  EXPECT_HAS(text, "Where the time goes (estimate for H100)");
  EXPECT_HAS(text,
             "as loaded at best 1 ms a call: 22.35 GFLOP, 572 MiB moved, 412 kernels started one by one "
             "(H100: no GPU is in use)");
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
  EXPECT_LACKS(rendered(r), "load_library");
  r.output->library = "/opt/kadvise/lib/libkadvise_kernels.so";
  EXPECT_HAS(rendered(r),
             "before torch.jit.load: torch.ops.load_library(\"/opt/kadvise/lib/libkadvise_kernels.so\")");
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
  EXPECT_LE(whatToChange, 9);
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

}  // namespace
}  // namespace kadvise

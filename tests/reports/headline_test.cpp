// The verdict on the whole module in one line: an honest word for each outcome.
#include "reports/headline.h"

#include <gtest/gtest.h>

#include <cmath>

#include "tests/reports/rendered.h"
#include "tests/reports/sample.h"

namespace kadvise {
namespace {

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

TEST(Headline, MediansOfTheOtherProcessSaySo) {
  Report r = sampleReport();
  EXPECT_HAS(rendered(r, {100'000, false, false}), "median call 2.06 ms → 1.45 ms · 2 replacements");
  r.whole.speedup = {1.15, 1.2, 1.25};
  r.whole.before.counters["confirmedSpeedup"] = 1.2;
  EXPECT_HAS(rendered(r, {100'000, false, false}),
             "1.45 ms (in the first of two processes; the smaller gain stands) · ");
}

TEST(Headline, WhatGraphsKeepStandsBesideThePeakOfACall) {
  Report r = sampleReport();
  r.whole.before.peakBytes = 20 << 20, r.whole.after.peakBytes = 8 << 10;
  r.cudaGraph = CudaGraphUse{GraphStatus::Applied, "", 1, 9, 9, 22 << 20, {}};
  EXPECT_HAS(rendered(r, {100'000, false, false}),
             "peak memory 20 MiB → 8 KiB (and 22 MiB that the graphs keep)");
}

TEST(Headline, DoesNotSpeakOfFiguresThatItLacks) {
  Report r = sampleReport();
  r.whole.speedup = {std::nan(""), 1.4, std::nan("")};
  EXPECT_HAS(headline(r).text, "1.40x faster on NVIDIA H200");
  r.whole.outcome = Outcome::Same;
  r.whole.speedup.mid = std::nan("");
  EXPECT_EQ(headline(r).text, "outputs equal, not timed");
}

}  // namespace
}  // namespace kadvise

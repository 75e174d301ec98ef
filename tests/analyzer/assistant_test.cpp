// The assistant over engines that only speak: what it asks of them, in which order, and what it makes of the
// answers.
#include "analyzer/assistant.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/core/error.h"
#include "tests/analyzer/assistant_setting.h"

namespace kadvise {
namespace {

namespace fs = std::filesystem;

TEST(Assistant, GoesFromLoadToTheWholeModule) {
  Setting s;
  Report r = s.analyze();
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.errors.empty());
  ASSERT_EQ(r.composition.applied.size(), 1u);
  EXPECT_EQ(r.composition.applied[0].sites, 2);
  auto requests = s.fake.requests();
  // The pages are compiled while the module is opened and traced.
  auto compiled = std::find(requests.begin(), requests.end(), "compile");
  ASSERT_LT(compiled, std::find(requests.begin(), requests.end(), "match"));
  ASSERT_GT(compiled, std::find(requests.begin(), requests.end(), "load"));
  requests.erase(compiled);
  std::sort(requests.begin(), requests.begin() + 2);  // load and open are sent at once
  EXPECT_EQ(requests,
            (std::vector<std::string>{"load", "open", "trace", "match", "trace", "compare:normal-form",
                                      "compare:C1", "open", "compare:C1", "advance", "trace", "match-again",
                                      "compose", "compare:whole", "open", "compare:whole"}))
      << "what came out faster is measured again in a fresh process";
  EXPECT_TRUE(r.search.empty()) << "one candidate that is clearly faster leaves nothing to try";
  EXPECT_EQ(verdictOf(r, "C1")->findings, std::vector<std::string>{"F1"});
  EXPECT_TRUE(r.rules.count("fusion/add-layer-norm")) << "the page's words travel with the report";
}

// Of each timed comparison, in turn; as something else, of each that is given any.
std::vector<double> secondsGiven(const Setting& s, const std::string& as = "budgetSeconds") {
  std::stringstream lines(s.fake.read("messages.jsonl"));
  std::vector<double> seconds;
  for (std::string line; std::getline(lines, line);) {
    Json m = Json::parse(line);
    bool isComparison = m.contains("verb") && m["arguments"].contains(as);
    if (isComparison && (as != "budgetSeconds" || m["arguments"].value("timing", false)))
      seconds.push_back(m["arguments"][as].get<double>());
  }
  return seconds;
}

TEST(Assistant, SharesTheBudget) {
  Setting s(twoCandidates());
  s.options.budgetSeconds = 20;
  s.analyze();
  auto seconds = secondsGiven(s);
  ASSERT_EQ(seconds.size(), 6u);
  EXPECT_NEAR(seconds[0], 7, 0.1) << "half of what is not reserved for the whole";
  EXPECT_NEAR(seconds[1], 14, 2) << "and what the first left";
  EXPECT_NEAR(seconds[2], 7, 1) << "confirmed with what both left";
  EXPECT_NEAR(seconds[3], 14, 2);
  EXPECT_NEAR(seconds[4], 3.6, 0.1);
  EXPECT_NEAR(seconds[5], 2.4, 0.1) << "the confirmation of the whole";
  seconds = secondsGiven(s, "mostCheckingSeconds");
  ASSERT_EQ(seconds.size(), 2u) << "in all others the batch's own questions are asked to the last one";
  EXPECT_NEAR(seconds[0], 5, 1e-6) << "the normal form";
  EXPECT_NEAR(seconds[1], 1.2, 0.1) << "the confirmation of the whole";
}

TEST(Assistant, OvertimeIsNoMoreThanTheBudgetAndGrantedOnce) {
  auto granted = [](double budgetSeconds, bool isSlow) {
    Json slow = fault("measure", "compare", "slow");
    slow["candidate"] = "whole";
    Setting s(isSlow ? with(Json::object(), "faults", Json::array({slow})) : Json::object());
    s.options.budgetSeconds = budgetSeconds;
    s.analyze();
    return secondsGiven(s, "overtimeSeconds");
  };
  auto quick = granted(1, false), spent = granted(1, true), much = granted(100, false);
  ASSERT_EQ(quick.size(), 2u) << "of the whole, and of its confirmation";
  ASSERT_EQ(spent.size(), 2u);
  EXPECT_NEAR(quick[0], 0.6, 1e-6);
  EXPECT_NEAR(quick[1], 1, 1e-6) << "nothing was spent";
  EXPECT_NEAR(spent[1], 0.4, 1e-6) << "what was left of it";
  EXPECT_NEAR(much[1], 8, 1e-6);
}

// Three findings, the first with the largest saving; its candidate changes a region that takes the second in.
Json regionAndTwoMore() {
  auto findingThatSaves = [](const char* id, double bytes) {
    return Json{{"id", id},
                {"estimate", {{"bytesSaved", bytes}, {"flops", 0}, {"speedup", 2}, {"basis", "bytes"}}}};
  };
  Json region = {{"id", "C1"}, {"findings", {"F1"}}, {"ofRegion", true}, {"parts", {"C2"}}};
  return {
      {"findings", {findingThatSaves("F1", 9e6), findingThatSaves("F2", 1e6), findingThatSaves("F3", 2e6)}},
      {"candidates", {region, {{"id", "C2"}, {"findings", {"F2"}}}, {{"id", "C3"}, {"findings", {"F3"}}}}}};
}

std::vector<std::string> firstCompared(const Setting& s, std::size_t count) {
  std::vector<std::string> out;
  for (auto& request : s.fake.requests())
    if (request.starts_with("compare:C") && out.size() < count) out.push_back(request);
  return out;
}

TEST(Assistant, MeasuresAWholeRegionFirstAndItsPartsNoMore) {
  Setting s(regionAndTwoMore());
  Report r = s.analyze();
  EXPECT_EQ(firstCompared(s, 2), (std::vector<std::string>{"compare:C1", "compare:C3"}));
  EXPECT_FALSE(asked(s.fake, "compare:C2"));
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::NotRun);
  EXPECT_EQ(verdictOf(r, "C2")->reason, "a part of another, which was measured as one (C1)");
}

TEST(Assistant, MeasuresThePartsOfARegionThatIsNotKept) {
  Setting s(with(regionAndTwoMore(), "verdicts", {{"C1", {{"outcome", "slower"}}}}));
  s.analyze();
  EXPECT_EQ(firstCompared(s, 3), (std::vector<std::string>{"compare:C1", "compare:C3", "compare:C2"}));
}

TEST(Assistant, MeasuresWholeRegionsLastWhereTheyWouldTakeTheBudget) {
  Json slow = {
      {"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "normal-form"}, {"do", "slow"}};
  Setting s(with(regionAndTwoMore(), "faults", Json::array({slow})));
  s.options.budgetSeconds = 3;
  s.analyze();
  EXPECT_EQ(firstCompared(s, 3), (std::vector<std::string>{"compare:C3", "compare:C2", "compare:C1"}));
}

TEST(Assistant, MeasuresWhatIsEstimatedToSaveNothingLast) {
  Json scenario = regionAndTwoMore();
  scenario["findings"][2]["estimate"]["savedUs"] = -3;  // though it moves fewer bytes than the second
  scenario["findings"][2]["estimate"]["speedup"] = 0.9;
  scenario["candidates"][0]["ofRegion"] = false;
  scenario["candidates"][0]["parts"] = Json::array();
  Setting s(scenario);
  s.analyze();
  EXPECT_EQ(firstCompared(s, 3), (std::vector<std::string>{"compare:C1", "compare:C2", "compare:C3"}));
}

TEST(Assistant, SaysWhichCandidatesTheBudgetLeftOut) {
  Setting s(
      with(twoCandidates(), "faults",
           {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "slow"}}}));
  s.options.budgetSeconds = 1;
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::NotRun);
  EXPECT_EQ(verdictOf(r, "C2")->reason, "the budget of 1 s was spent before it (--budget)");
  EXPECT_EQ(r.whole.outcome, Outcome::Faster) << "the whole is measured all the same";
}

TEST(Assistant, GivesTheNextTwiceWhatWasTooLittleForOne) {
  Json untimed = {{"outcome", "ambiguous"},
                  {"speedup", {{"low", nullptr}, {"mid", nullptr}, {"high", nullptr}}}};
  Json four = {{"findings", Json::array()}, {"candidates", Json::array()}, {"verdicts", {{"C1", untimed}}}};
  for (std::string n : {"1", "2", "3", "4"}) {
    four["findings"].push_back({{"id", "F" + n}});
    four["candidates"].push_back({{"id", "C" + n}, {"findings", {"F" + n}}});
  }
  Setting s(four);
  s.options.budgetSeconds = 20;
  s.analyze();
  auto seconds = secondsGiven(s);
  ASSERT_GE(seconds.size(), 2u);
  EXPECT_NEAR(seconds[0], 3.5, 0.1) << "a quarter of what is not reserved for the whole";
  EXPECT_NEAR(seconds[1], 7, 0.2);
}

TEST(Assistant, AnalysesWithoutRunningComparisons) {
  Setting s;
  s.options.verify = false;
  Report r = s.analyze();
  EXPECT_EQ(r.whole.reason, "not measured (--no-verify)");
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(s.fake.requests().size(), 5u) << "load, open, compile, trace, match";
}

TEST(Assistant, StopsAdvisingWhenTheNormalFormDiffers) {
  Setting s(
      Json{{"verdicts", {{"normal-form", {{"outcome", "wrong-output"}, {"reason", "output 0 differs"}}}}}});
  Report r = s.analyze();
  EXPECT_FALSE(asked(s.fake, "compare:C1"));
  EXPECT_EQ(r.whole.outcome, Outcome::NotRun);
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_NE(r.errors[0].what.find("output 0 differs"), std::string::npos);
}

// One that writes what cannot be put back: what was found is as true as before, and nothing failed.
TEST(Assistant, MeasuresNothingWhereEqualityIsNotDecided) {
  Json undecided = {{"outcome", "not-run"}, {"reason", "it changes its own w"}, {"accuracy", Accuracy()}};
  Setting s(Json{{"verdicts", {{"normal-form", undecided}}}});
  Report r = s.optimize();
  EXPECT_FALSE(asked(s.fake, "compare:C1"));
  EXPECT_TRUE(r.errors.empty());
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.whole.outcome, Outcome::NotRun);
  EXPECT_EQ(r.whole.reason, "nothing is measured: it changes its own w");
  EXPECT_FALSE(r.output->written);
}

TEST(Assistant, KeepsFindingsWhenNoInputsAreGiven) {
  Setting s;
  s.subject.inputs.clear();
  Report r = s.analyze();
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.whole.reason, "not measured: no inputs were given");
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_NE(r.errors[0].what.find("give one --input"), std::string::npos);
  EXPECT_FALSE(asked(s.fake, "trace"));
}

TEST(Assistant, RemovesItsWorkFolderUnlessItIsAskedFor) {
  Setting s;
  fs::path temporary = s.fake.folder / "tmp";
  fs::create_directories(temporary);
  ::setenv("TMPDIR", temporary.c_str(), 1);
  s.analyze();
  EXPECT_TRUE(fs::is_empty(temporary));
  s.options.workDir = s.fake.folder / "work";
  s.analyze();
  EXPECT_TRUE(fs::exists(s.options.workDir / "kadvise-measure.log"));
  ::unsetenv("TMPDIR");
}

TEST(Assistant, CanBeInterruptedAtAnyPhase) {
  for (const char* phase : {"reading", "tracing", "matching", "checking C1", "composing", "writing"}) {
    Setting s;
    bool stop = false;
    s.options.progress = [&](const Progress& p) { stop = stop || p.phase.rfind(phase, 0) == 0; };
    s.options.interrupted = [&] { return stop; };
    EXPECT_THROW(s.optimize(), Interrupted) << phase;
    EXPECT_TRUE(s.leftNothing()) << phase;
  }
}

TEST(Assistant, RefusesBeforeItStartsAnything) {
  Setting s;
  auto refused = [&](auto change) {
    Setting t = s;
    change(t);
    EXPECT_THROW(t.analyze(), Error);
  };
  refused([](Setting& t) { t.subject.path = "/nonexistent.pt"; });
  refused([](Setting& t) { t.subject.path = "/tmp"; });
  refused([](Setting& t) { t.subject.path = "/tmp/x.pt2"; });
  refused([](Setting& t) { t.subject.sources = {"ops.cu"}; });
  refused([](Setting& t) { t.subject.inputs = {"int32"}; });
  refused([](Setting& t) { t.subject.inputsFile = "/nonexistent"; });
  refused([](Setting& t) { t.subject.device = "tpu"; });
  refused([](Setting& t) { t.subject.opLibraries = {"/nonexistent.so"}; });
  refused([](Setting& t) { t.options.engines = "/nonexistent"; });
  refused([](Setting& t) { t.options.select = {"no-such-rule"}; });
  EXPECT_THROW(CompilerOptimizationAssistant(s.options).optimize(s.subject, "/nonexistent/fast.pt"), Error);
  EXPECT_THROW(CompilerOptimizationAssistant(s.options).optimize(s.subject, s.subject.path), Error);
  s.options.verify = false;
  EXPECT_THROW(s.optimize(), Error);
  EXPECT_TRUE(s.fake.read("messages.jsonl").empty());
}

TEST(Assistant, ValidatesTwoModules) {
  Setting s(Json{{"verdicts", {{"whole", {{"outcome", "same"}}}}}});
  Subject other = s.subject;
  other.path = s.fake.folder / "other.pt";
  std::ofstream(other.path) << "another module";
  Verdict v = CompilerOptimizationAssistant(s.options).validate(s.subject, other);
  EXPECT_EQ(v.outcome, Outcome::Same);
  EXPECT_EQ(s.fake.requests().back(), "compare:whole");
  EXPECT_FALSE(asked(s.fake, "match"));
}

}  // namespace
}  // namespace kadvise

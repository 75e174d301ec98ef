// The assistant over engines that only speak: what it asks of them, in which order, and what it makes of the
// answers.
#include "analyzer/assistant.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "analyzer/core/error.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {
namespace {

namespace fs = std::filesystem;

struct Setting {
  FakeEngines fake;
  Subject subject;
  AssistantOptions options;

  explicit Setting(const Json& scenario = Json::object()) : fake(scenario) {
    subject.path = fake.folder / "m.pt";
    std::ofstream(subject.path) << "a module";
    subject.inputs = {"float32[4,128]"};
    options.engines = fake.folder;
    options.timeLimitSeconds = 30;
  }
  Report analyze() { return CompilerOptimizationAssistant(options).analyze(subject); }
  Report optimize() { return CompilerOptimizationAssistant(options).optimize(subject, output()); }
  fs::path output() const { return fake.folder / "fast.pt"; }
  bool leftNothing() const {
    for (auto& e : fs::directory_iterator(fake.folder))
      if (e.path().extension() == ".tmp") return false;
    return !fs::exists(output());
  }
};

const Verdict* verdictOf(const Report& r, const std::string& candidate) {
  auto it =
      std::find_if(r.verdicts.begin(), r.verdicts.end(), [&](auto& v) { return v.candidate == candidate; });
  return it == r.verdicts.end() ? nullptr : &*it;
}

bool asked(const FakeEngines& fake, const std::string& request) {
  auto all = fake.requests();
  return std::find(all.begin(), all.end(), request) != all.end();
}

Json two() {
  return {{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
          {"candidates", {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C2"}, {"findings", {"F2"}}}}}};
}

Json with(Json scenario, const char* key, const Json& value) {
  scenario[key] = value;
  return scenario;
}

TEST(Assistant, GoesFromLoadToTheWholeModule) {
  Setting s;
  Report r = s.analyze();
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.errors.empty());
  ASSERT_EQ(r.composition.applied.size(), 1u);
  EXPECT_EQ(r.composition.applied[0].sites, 2);
  auto requests = s.fake.requests();
  std::sort(requests.begin(), requests.begin() + 2);  // load and open are sent at once
  EXPECT_EQ(requests, (std::vector<std::string>{"load", "open", "trace", "match", "trace",
                                                "compare:normal-form", "compare:C1", "open", "compare:C1",
                                                "compose", "compare:whole", "open", "compare:whole"}))
      << "what came out faster is measured again in a fresh process";
  EXPECT_EQ(verdictOf(r, "C1")->findings, std::vector<std::string>{"F1"});
  EXPECT_TRUE(r.rules.count("fusion/add-layer-norm")) << "the page's words travel with the report";
}

TEST(Assistant, SharesTheBudget) {
  Setting s(two());
  s.options.budgetSeconds = 20;
  s.analyze();
  std::stringstream lines(s.fake.read("messages.jsonl"));
  std::vector<double> seconds;
  for (std::string line; std::getline(lines, line);) {
    Json m = Json::parse(line);
    if (m.contains("verb") && m["arguments"].value("timing", false))
      seconds.push_back(m["arguments"]["budgetSeconds"].get<double>());
  }
  ASSERT_EQ(seconds.size(), 6u);
  EXPECT_NEAR(seconds[0], 7, 0.1) << "half of what is not reserved for the whole";
  EXPECT_NEAR(seconds[1], 14, 2) << "and what the first left";
  EXPECT_NEAR(seconds[2], 7, 1) << "confirmed with what both left";
  EXPECT_NEAR(seconds[3], 14, 2);
  EXPECT_NEAR(seconds[4], 3.6, 0.1);
  EXPECT_NEAR(seconds[5], 2.4, 0.1) << "the confirmation of the whole";
}

TEST(Assistant, SaysWhichCandidatesTheBudgetLeftOut) {
  Setting s(
      with(two(), "faults",
           {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "slow"}}}));
  s.options.budgetSeconds = 1;
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::NotRun);
  EXPECT_EQ(verdictOf(r, "C2")->reason, "the budget of 1 s was spent before it (--budget)");
  EXPECT_EQ(r.whole.outcome, Outcome::Faster) << "the whole is measured all the same";
}

TEST(Assistant, AnalysesWithoutRunningComparisons) {
  Setting s;
  s.options.verify = false;
  Report r = s.analyze();
  EXPECT_EQ(r.whole.reason, "not measured (--no-verify)");
  EXPECT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(s.fake.requests().size(), 4u) << "load, open, trace, match";
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

TEST(Assistant, ComposesNothingWhenNothingIsKept) {
  Setting s(Json{{"verdicts", {{"C1", {{"outcome", "slower"}}}}}});
  Report r = s.optimize();
  EXPECT_FALSE(asked(s.fake, "compose"));
  EXPECT_EQ(r.whole.reason, "nothing to apply: of 1 proposal none is equal and not slower");
  EXPECT_FALSE(r.output->written);
  EXPECT_EQ(r.output->reason, "nothing to apply: of 1 proposal none is equal and not slower");
}

TEST(Assistant, ComposesASlowerCandidateForKeepEqual) {
  Setting s(Json{{"verdicts", {{"*", {{"outcome", "slower"}}}}}});
  s.options.keep = Keep::Equal;
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::Slower);
  EXPECT_TRUE(r.output->written);
}

TEST(Assistant, WritesTheFasterModule) {
  Setting s;
  Report r = s.optimize();
  ASSERT_TRUE(r.output->written) << r.output->reason;
  std::string text = s.fake.read("fast.pt");
  EXPECT_EQ(text.rfind("a faster module", 0), 0u);
  EXPECT_NE(text.find("fusion/add-layer-norm"), std::string::npos) << "its provenance is in it";
  EXPECT_NE(verdictOf(r, "written"), nullptr);
  EXPECT_EQ(s.fake.requests().back(), "compare:written");
}

TEST(Assistant, WritesNothingThatIsSlowerAsAWhole) {
  Setting s(Json{{"verdicts", {{"whole", {{"outcome", "slower"}}}}}});
  Report r = s.optimize();
  EXPECT_FALSE(r.output->written);
  EXPECT_NE(r.output->reason.find("slower as a whole"), std::string::npos);
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, WritesNothingThatDiffersAsAWhole) {
  Setting s(Json{{"verdicts", {{"whole", {{"outcome", "wrong-output"}, {"reason", "output 0"}}}}}});
  Report r = s.optimize();
  EXPECT_NE(r.output->reason.find("not shown to be equal: output 0"), std::string::npos);
  EXPECT_TRUE(s.leftNothing());
}

Json errors(double rmsUlp) {
  return {{"rmsUlp", rmsUlp},        {"p999Ulp", 2},         {"maxUlp", 4}, {"bias", 0}, {"scale", 1},
          {"grade", "within-bound"}, {"worstCase", "normal"}};
}

TEST(Assistant, LeavesTheLessExactOutWhereErrorsAddUp) {
  Json beyond = {{"outcome", "wrong-output"}, {"reason", "max error 9 ulp"}, {"accuracy", errors(5)}};
  Setting s(with(
      two(), "verdicts",
      {{"C1", {{"accuracy", errors(3)}}}, {"C2", {{"accuracy", errors(0.5)}}}, {"whole of C1 C2", beyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  ASSERT_EQ(r.composition.applied.size(), 1u);
  EXPECT_EQ(r.composition.applied[0].candidate, "C2");
  ASSERT_EQ(r.composition.dropped.size(), 1u);
  EXPECT_EQ(r.composition.dropped[0].candidate, "C1");
  EXPECT_EQ(r.composition.dropped[0].reason,
            "together with the others the module leaves its bounds: max error 9 ulp");
  EXPECT_TRUE(r.output->written);
}

TEST(Assistant, GivesUpWhereNothingIsLeftThatIsExact) {
  Json beyond = {{"outcome", "wrong-output"}, {"reason", "max error 9 ulp"}, {"accuracy", errors(5)}};
  Setting s(with(two(), "verdicts", {{"whole", beyond}}));
  Report r = s.optimize();
  EXPECT_EQ(r.whole.outcome, Outcome::WrongOutput);
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, TakesAFileBackThatDoesNotVerify) {
  Setting s(Json{{"verdicts", {{"written", {{"outcome", "wrong-output"}, {"reason", "output 0"}}}}}});
  Report r = s.optimize();
  EXPECT_NE(r.output->reason.find("the written file does not give equal outputs"), std::string::npos);
  EXPECT_FALSE(r.errors.empty());
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, LeavesAnOlderFileAloneWhenItDoesNotWrite) {
  Setting s(Json{{"verdicts", {{"written", {{"outcome", "failed"}}}}}});
  std::ofstream(s.output()) << "older";
  s.optimize();
  EXPECT_EQ(s.fake.read("fast.pt"), "older");
}

TEST(Assistant, LeavesOutWhatTheComposerCouldNotApply) {
  Setting s(
      Json{{"composed",
            {{"applied", {{{"candidate", "C1"}, {"sites", 0}}}},
             {"dropped", {{{"candidate", "C1"}, {"reason", "another candidate changed this region"}}}}}}});
  Report r = s.analyze();
  EXPECT_TRUE(r.composition.applied.empty());
  EXPECT_EQ(r.whole.reason, "nothing to apply");
}

TEST(Assistant, GoesOnAfterACandidateThatKillsTheEngine) {
  Setting s(
      with(two(), "faults",
           {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "sigkill"}}}));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C1")->reason.rfind("kadvise-measure was killed by SIGKILL while checking C1", 0),
            0u);
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::Faster);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.errors.empty()) << "a candidate's death is its verdict";
}

TEST(Assistant, LeavesTheRestUnmeasuredWhenTheEngineCannotComeBack) {
  Json faults = {
      {{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "sigkill"}},
      {{"engine", "kadvise-measure"}, {"verb", "open"}, {"do", "slow"}},  // the first opening is fine
      {{"engine", "kadvise-measure"}, {"verb", "open"}, {"do", "exit3"}, {"times", 9}}};
  // The second fault counts only from the second opening on: the first is taken by the fault before it.
  Setting s(with(two(), "faults", faults));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C2")->outcome, Outcome::NotRun);
  EXPECT_NE(verdictOf(r, "C2")->reason.find("ended with exit code 3 while loading the module"),
            std::string::npos);
  EXPECT_FALSE(r.errors.empty());
}

TEST(Assistant, SaysWhenTheGraphEngineDies) {
  for (const char* verb : {"load", "match", "compose"}) {
    Setting s(scenarioWith({fault("graph", verb, "sigkill")}));
    Report r = s.optimize();
    ASSERT_EQ(r.errors.size(), 1u) << verb;
    EXPECT_EQ(r.errors[0].what.rfind("kadvise-graph was killed by SIGKILL while", 0), 0u) << r.errors[0].what;
    EXPECT_EQ(r.whole.outcome, Outcome::NotRun);
    EXPECT_FALSE(r.output->written);
    EXPECT_TRUE(s.leftNothing());
  }
}

TEST(Assistant, WritesNothingWhenTheGraphEngineDiesWhileWriting) {
  Json dies = fault("graph", "compose", "sigkill");
  dies["weights"] = true;
  Setting s(scenarioWith({dies}));
  Report r = s.optimize();
  EXPECT_FALSE(r.output->written);
  EXPECT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster) << "what was measured stands";
  EXPECT_TRUE(s.leftNothing());
}

TEST(Assistant, SaysWhenTheMeasureEngineDiesBeforeThereIsACandidate) {
  Setting s(scenarioWith({fault("measure", "trace", "sigkill")}));
  Report r = s.analyze();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_EQ(r.errors[0].what.rfind("kadvise-measure was killed by SIGKILL while tracing", 0), 0u)
      << r.errors[0].what;
}

TEST(Assistant, SurvivesAnAnswerThatLacksItsFields) {
  Setting s(scenarioWith({fault("graph", "load", "bad-done")}));
  Report r = s.analyze();
  ASSERT_EQ(r.errors.size(), 1u);
  EXPECT_NE(r.errors[0].what.find("not as agreed"), std::string::npos);
}

TEST(Assistant, FailsACandidateWithoutAVerdict) {
  Setting s(with(
      two(), "faults",
      {{{"engine", "kadvise-measure"}, {"verb", "compare"}, {"candidate", "C1"}, {"do", "no-verdict"}}}));
  Report r = s.analyze();
  EXPECT_EQ(verdictOf(r, "C1")->outcome, Outcome::Failed);
  EXPECT_EQ(verdictOf(r, "C1")->reason, "kadvise-measure gave no verdict");
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

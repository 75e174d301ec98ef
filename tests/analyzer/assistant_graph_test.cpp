// When the assistant has the optimised module own CUDA graphs, over engines that only speak.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>

#include "analyzer/assistant.h"
#include "tests/analyzer/fake_engines.h"

namespace kadvise {
namespace {

Json onGpu(Json scenario = Json::object()) {
  scenario["opened"] = {{"device", {{"kind", "cuda"}, {"index", 0}, {"name", "NVIDIA H200"}, {"arch", 90}}}};
  return scenario;
}

Json verdictsOf(const char* candidate, const char* outcome) {
  return {{"verdicts", {{candidate, {{"outcome", outcome}, {"reason", "as told"}}}}}};
}

struct Setting {
  FakeEngines fake;
  Subject subject;
  AssistantOptions options;

  explicit Setting(const Json& scenario) : fake(scenario) {
    subject.path = fake.folder / "m.pt";
    std::ofstream(subject.path) << "a module";
    subject.inputs = {"float32[4,128]"};
    options.engines = fake.folder;
    options.timeLimitSeconds = 30;
  }
  Report optimize() {
    return CompilerOptimizationAssistant(options).optimize(subject, fake.folder / "fast.pt");
  }
  // Of each `compose`: the candidates, and whether it was to own graphs.
  std::vector<std::string> composed() const {
    std::vector<std::string> out;
    std::stringstream lines(fake.read("messages.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      Json m = Json::parse(line);
      if (m.value("verb", "") != "compose") continue;
      std::string words;
      for (auto& c : m["arguments"]["candidates"]) words += c.get<std::string>() + " ";
      out.push_back(words + (m["arguments"].contains("cudaGraph") ? "in graphs" : "plain"));
    }
    return out;
  }
  // The first comparison of each name, as it was asked for.
  std::map<std::string, Json> comparisons() const {
    std::map<std::string, Json> out;
    std::stringstream lines(fake.read("messages.jsonl"));
    for (std::string line; std::getline(lines, line);) {
      Json m = Json::parse(line);
      if (m.value("verb", "") != "compare") continue;
      out.emplace(m["arguments"]["candidate"].get<std::string>(), m["arguments"]);
    }
    return out;
  }
};

bool has(const Report& r, const char* verdict) {
  return std::any_of(r.verdicts.begin(), r.verdicts.end(), [&](auto& v) { return v.candidate == verdict; });
}

TEST(AssistantGraphs, OwnsThemWhereTheWholeIsFasterWithThem) {
  Setting s(onGpu());
  Report r = s.optimize();
  ASSERT_TRUE(r.cudaGraph);
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
  EXPECT_EQ(r.cudaGraph->parts, 1);
  EXPECT_TRUE(has(r, kCudaGraphVerdict));
  EXPECT_TRUE(has(r, kWithoutGraphsVerdict));
  EXPECT_TRUE(r.output->written) << r.output->reason;
  EXPECT_EQ(s.composed(), (std::vector<std::string>{"C1 plain", "C1 in graphs", "C1 in graphs"}));
  EXPECT_EQ(Json(Json(*r.cudaGraph).get<CudaGraphUse>()), Json(*r.cudaGraph));
}

TEST(AssistantGraphs, LeavesThemOutWhereNothingShowsThatTheyPay) {
  for (const char* outcome : {"same", "slower", "ambiguous"}) {
    Setting s(onGpu(verdictsOf(kCudaGraphVerdict, outcome)));
    Report r = s.optimize();
    EXPECT_EQ(r.cudaGraph->status, GraphStatus::NotWorthIt) << outcome;
    EXPECT_FALSE(r.cudaGraph->reason.empty()) << outcome;
    EXPECT_EQ(r.whole.outcome, Outcome::Faster) << "without them";
    EXPECT_EQ(s.composed().back(), "C1 plain") << "what is written";
  }
}

TEST(AssistantGraphs, NeverWritesWhatGivesOtherOutputsWithThem) {
  Setting s(onGpu(verdictsOf(kCudaGraphVerdict, "wrong-output")));
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Failed);
  EXPECT_EQ(r.cudaGraph->reason, "as told");
  EXPECT_TRUE(r.output->written);
  EXPECT_EQ(s.composed().back(), "C1 plain");
}

TEST(AssistantGraphs, SaysWhatStandsInTheWay) {
  Json place = {{"file", "model.py"}, {"line", 3},       {"column", 0},  {"endLine", 0},
                {"endColumn", 0},     {"scope", "head"}, {"snippet", ""}};
  Json blocker = {{"rule", "graph-break/host-read"}, {"where", place}, {"reason", "aten::item waits"}};
  Setting s(
      onGpu({{"cudaGraph", {{"parts", 0}, {"launches", 0}, {"allLaunches", 9}, {"blockers", {blocker}}}}}));
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::NotCapturable);
  ASSERT_EQ(r.cudaGraph->blockers.size(), 1u);
  EXPECT_EQ(r.cudaGraph->blockers[0].where.line, 3);
  EXPECT_FALSE(has(r, kCudaGraphVerdict)) << "there was nothing to compare";
  EXPECT_TRUE(r.output->written);
}

TEST(AssistantGraphs, MayBeAllThatThereIsToGain) {
  Setting s(onGpu({{"findings", Json::array()}, {"candidates", Json::array()}}));
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.output->written) << r.output->reason;
  EXPECT_EQ(s.composed(), (std::vector<std::string>{"in graphs", "in graphs"}));
}

TEST(AssistantGraphs, AreTriedOnTheModuleItselfWhereItsReplacementsMakeItSlower) {
  Setting s(onGpu(Json{{"verdicts", {{"whole of C1", {{"outcome", "slower"}}}}}}));
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied);
  EXPECT_TRUE(r.composition.applied.empty());
  EXPECT_EQ(s.composed().back(), "in graphs");
}

// C1 gains by fewer launches alone; in graphs the module is faster without it.
Json slowerOnTheGpu(Json verdicts, const char* withoutIt = "faster") {
  verdicts["C2 in graphs against C1 C2 in graphs"] = {{"outcome", withoutIt}};
  return onGpu({{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
                {"candidates", {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C2"}, {"findings", {"F2"}}}}},
                {"gpuAlone", {{"C1", 0.8}, {"C2", 1.2}}},
                {"verdicts", verdicts}});
}

std::vector<std::string> appliedIn(const Report& r) {
  std::vector<std::string> out;
  for (auto& a : r.composition.applied) out.push_back(a.candidate);
  return out;
}

TEST(AssistantGraphs, LeaveOutWhatIsSlowerInThem) {
  Setting s(slowerOnTheGpu(Json::object()));
  Report r = s.optimize();
  EXPECT_EQ(appliedIn(r), std::vector<std::string>{"C2"});
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
  ASSERT_EQ(r.composition.dropped.size(), 1u);
  EXPECT_EQ(r.composition.dropped[0].reason, "the module in CUDA graphs is faster without it");
  EXPECT_EQ(r.search.back().decision, "taken: clearly faster");
  EXPECT_EQ(s.composed(), (std::vector<std::string>{"C1 C2 plain", "C1 C2 in graphs", "C2 in graphs",
                                                    "C2 plain", "C2 in graphs"}))
      << "each once, and what is written";
}

TEST(AssistantGraphs, KeepTheSetThatNoOtherBeatsInThem) {
  for (auto* outcome : {"same", "slower", "wrong-output"}) {
    Setting s(slowerOnTheGpu(Json::object(), outcome));
    Report r = s.optimize();
    EXPECT_EQ(appliedIn(r), (std::vector<std::string>{"C1", "C2"})) << outcome;
    EXPECT_EQ(s.composed(),
              (std::vector<std::string>{"C1 C2 plain", "C1 C2 in graphs", "C2 in graphs", "C1 C2 in graphs"}))
        << outcome << ": each once, and what is written";
  }
}

TEST(AssistantGraphs, TheProvenSetStandsWhereTheOtherIsNotEqualOrGraphsDoNotPay) {
  for (auto& [verdict, outcome] : {std::pair{"whole of C2", "wrong-output"}, {kCudaGraphVerdict, "same"}}) {
    Setting s(slowerOnTheGpu({{verdict, {{"outcome", outcome}}}}));
    Report r = s.optimize();
    EXPECT_EQ(appliedIn(r), (std::vector<std::string>{"C1", "C2"})) << verdict;
    EXPECT_EQ(r.whole.outcome, Outcome::Faster) << verdict;
    auto ofGraphs = [](auto& v) { return v.candidate == kCudaGraphVerdict; };
    EXPECT_EQ(std::count_if(r.verdicts.begin(), r.verdicts.end(), ofGraphs), 1) << verdict;
    EXPECT_TRUE(r.output->written) << verdict;
  }
}

TEST(AssistantGraphs, NoReplacementAtAllMayBeTheBestInThem) {
  Setting s(onGpu({{"gpuAlone", {{"C1", 0.8}}},
                   {"verdicts", {{" in graphs against C1 in graphs", {{"outcome", "faster"}}}}}}));
  Report r = s.optimize();
  EXPECT_TRUE(r.composition.applied.empty());
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_EQ(s.composed().back(), "in graphs");
}

TEST(AssistantGraphs, AreNotTriedWhereTheyCannotOrMayNotBe) {
  Setting cpu{Json::object()};
  EXPECT_EQ(cpu.optimize().cudaGraph->reason, "they need a GPU, and none is in use");
  Setting off(onGpu());
  off.options.cudaGraph = false;
  EXPECT_EQ(off.optimize().cudaGraph->reason, "switched off by --no-cuda-graph");
  EXPECT_EQ(off.composed(), (std::vector<std::string>{"C1 plain", "C1 plain"}));
  Setting low(onGpu());
  low.options.level = 2;
  EXPECT_EQ(low.optimize().cudaGraph->status, GraphStatus::NotTried);
}

TEST(AssistantGraphs, ShareTheBudgetWithTheRest) {
  Setting s(onGpu());
  s.options.budgetSeconds = 100;
  s.optimize();
  std::stringstream lines(s.fake.read("messages.jsonl"));
  double seconds = 0;
  for (std::string line; std::getline(lines, line);) {
    Json m = Json::parse(line);
    auto arguments = m.value("arguments", Json::object());
    if (arguments.value("timing", false) && arguments.value("candidate", "") != "C1")
      seconds += arguments["budgetSeconds"].get<double>();
  }
  EXPECT_NEAR(seconds, 51, 0.1) << "the whole twice, and the graphs against it";
}

TEST(AssistantGraphs, AnotherSetIsNotTriedWithABudgetTooSmallForIt) {
  Setting small(slowerOnTheGpu(Json::object()));
  small.options.budgetSeconds = 20;
  Report r = small.optimize();
  EXPECT_EQ(appliedIn(r), (std::vector<std::string>{"C1", "C2"}));
  EXPECT_EQ(r.search.back().decision, "not tried: the budget was spent (--budget)");
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied) << r.cudaGraph->reason;
}

// C1 is faster alone, C2 is not, and the module without C2 is the better one.
Json withASearch() {
  Json same = {{"outcome", "same"}, {"speedup", {{"low", 0.98}, {"mid", 1}, {"high", 1.02}}}};
  return onGpu({{"findings", {{{"id", "F1"}}, {{"id", "F2"}}}},
                {"candidates", {{{"id", "C1"}, {"findings", {"F1"}}}, {{"id", "C2"}, {"findings", {"F2"}}}}},
                {"verdicts", {{"C2", same}, {"C1 against C1 C2", {{"outcome", "faster"}}}}}});
}

TEST(AssistantGraphs, AreComparedWithTheSetThatTheSearchChose) {
  Setting s(withASearch());
  Report r = s.optimize();
  EXPECT_EQ(s.composed(),
            (std::vector<std::string>{"C1 C2 plain", "C1 plain", "C1 in graphs", "C1 in graphs"}));
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied);
  auto comparisons = s.comparisons();
  auto trial = comparisons.at("set"), graphs = comparisons.at(kCudaGraphVerdict);
  EXPECT_EQ(graphs["before"], trial["after"]);
  EXPECT_TRUE(r.output->written) << r.output->reason;
}

TEST(AssistantGraphs, AreTriedWithABudgetTooSmallForASearch) {
  Setting s(withASearch());
  s.options.budgetSeconds = 20;
  Report r = s.optimize();
  EXPECT_TRUE(r.search.empty());
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Applied);
  EXPECT_EQ(s.comparisons().at(kCudaGraphVerdict)["before"]["path"], "whole.pt");
}

TEST(AssistantGraphs, InterruptedTheRunEndsWithWhatWasProvenWithoutThem) {
  Setting s(onGpu());
  bool stop = false;
  s.options.progress = [&](const Progress& p) {
    stop = stop || p.phase.rfind("comparing with CUDA graphs", 0) == 0;
  };
  s.options.interrupted = [&] { return stop; };
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::NotTried);
  EXPECT_EQ(r.cudaGraph->reason, "the run was interrupted");
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_EQ(s.composed().back(), "C1 plain");
  EXPECT_TRUE(r.output->written) << r.output->reason;
}

TEST(AssistantGraphs, AFailureToMakeThemCostsNothingElse) {
  Json refused = fault("graph", "compose", "error");
  refused["weights"] = true;
  Setting s(onGpu(scenarioWith({refused})));
  Report r = s.optimize();
  EXPECT_EQ(r.cudaGraph->status, GraphStatus::Failed);
  EXPECT_EQ(r.whole.outcome, Outcome::Faster);
  EXPECT_TRUE(r.output->written) << r.output->reason;
}

}  // namespace
}  // namespace kadvise

#include "profiler/levels.h"

#include <c10/core/InferenceMode.h>

#include <cmath>

#include "analyzer/core/error.h"
#include "profiler/bind.h"
#include "profiler/expected.h"
#include "profiler/failure.h"
#include "profiler/graph_replay.h"
#include "profiler/measure.h"
#include "profiler/saved_module.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

constexpr double kBlockUs = 4000;

void addTimes(Verdict& v, torch::jit::Module& module, GraphReplay& graph, const Values& batch,
              const Session& s, double budgetSeconds, Pulse& pulse) {
  TimedRun before = timedRun(module, batch, s.device);
  TimedRun after{[&] { graph.replay(); }, [&] { synchronize(s.device); }};
  TimingPlan plan;
  plan.budgetSeconds = budgetSeconds;
  plan.blockUs = kBlockUs;
  plan.seed = s.seed + 1;
  pulse.step("timing the CUDA graph against the module");
  Comparison c = compareTimes(before, after, plan, pulse);
  v.outcome = c.outcome;
  v.speedup = c.speedup;
  v.before.timings.push_back(c.before);
  v.after.timings.push_back(c.after);
  v.reason = c.reason;
}

// Equality is judged on the output that a replay leaves, not on the one of the capture, which computes
// nothing.
Verdict judgeGraph(Session& s, const ModuleRef& reference, double budgetSeconds, Pulse& pulse) {
  Verdict v;
  v.candidate = "cuda-graph";
  v.before.subject = "as loaded", v.after.subject = "CUDA graph";
  v.before.device = v.after.device = s.device.label();
  c10::InferenceMode inference;
  torch::jit::Module module = loadAsSaved(s, {});
  Values batch = cloneOf(s.inputs);
  OperatorSites sites;
  pulse.step("capturing the CUDA graph");
  double start = steadyUs();
  std::optional<GraphReplay> graph;
  v.after.peakBytes = peakBytesOf(s.device, [&] {
    graph.emplace(module, batch, s.device, sites);
    graph->replay();
    synchronize(s.device);
  });
  v.after.firstCallMs = (steadyUs() - start) / 1000;
  c10::IValue output = mapTensors(graph->output(), [](const at::Tensor& t) { return cloneOf(t); });
  pulse.step("comparing the replay with the module");
  auto load = [&] { return loadBound(s, reference, {.toDouble = true, .floatMeans = ""}); };
  Equivalence equal = judgeExpected(module, output, s.inputs, load, s.device, s.seed);
  v.accuracy = equal.accuracy;
  v.reason = equal.reason;
  v.outcome = equal.outcome;
  if (equal.outcome != Outcome::Same) return v;
  addTimes(v, module, *graph, batch, s, budgetSeconds, pulse);
  return v;
}

}  // namespace

Json freeze(Session& session, const Json& arguments, const Replies& replies) {
  replies.progress("freezing the module");
  auto path = session.workDir / arguments.at("path").get<std::string>();
  constexpr bool kSharedTensors = true;
  try {
    auto copy = session.model().clone(kSharedTensors);
    copy.eval();
    torch::jit::freeze(copy).save(path.string());
  } catch (const std::exception& e) {
    throw Error("freeze", "LibTorch cannot freeze it: " + reasonOf(e));
  }
  return Json::object();
}

Json compareGraph(Session& session, const Json& arguments, const Replies& replies) {
  Pulse pulse(replies);
  Verdict v;
  try {
    v = judgeGraph(session, moduleRefFrom(arguments.at("reference")), arguments.at("budgetSeconds"), pulse);
  } catch (const Error& e) {
    v.outcome = Outcome::NotRun;
    v.reason = "no CUDA graph: " + e.reason;
  }
  replies.verdict(v);
  return Json::object();
}

}  // namespace kadvise

#include "profiler/compare.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "analyzer/core/error.h"
#include "profiler/bind.h"
#include "profiler/equivalence.h"
#include "profiler/expected.h"
#include "profiler/failure.h"
#include "profiler/measure.h"
#include "profiler/region_inputs.h"
#include "profiler/runner_state.h"
#include "profiler/time_pair.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using Clock = std::chrono::steady_clock;

constexpr const char* kStateTimed =
    "each timed call begins with the module's own state as loaded, and putting it there is timed, too";

struct Request {
  std::string candidate, inputs, dtype, domain, exactness;
  ModuleRef before, after, reference;
  std::vector<std::string> specs;
  bool timing = false, brief = false, profile = false;
  double budgetSeconds = 30, overtimeSeconds = 0;
  double mostCheckingSeconds = EquivalencePlan().mostSeconds;
  int candidates = 1;         // of the run, all of which may look faster by luck
  std::uint64_t attempt = 1;  // 2: a confirmation, in another order
  Breadth breadth = Breadth::AsGiven;
  std::string worstInputs, expected;
};

using Judged = std::pair<Verdict, std::vector<CaseErrors>>;

Breadth breadthFrom(const std::string& word) {
  if (word == "batch") return Breadth::Batch;
  return word == "wide" ? Breadth::Wide : Breadth::AsGiven;
}

Request requestFrom(const Json& a) {
  Request r;
  r.candidate = a.at("candidate");
  r.before = moduleRefFrom(a.at("before"));
  r.after = moduleRefFrom(a.at("after"));
  r.reference = moduleRefFrom(a.at("reference"));
  r.inputs = a.at("inputs");
  r.specs = a.value("specs", std::vector<std::string>());
  r.dtype = a.value("dtype", std::string());
  r.timing = a.at("timing");
  r.brief = a.value("brief", false);
  r.profile = a.value("profile", false);
  r.budgetSeconds = a.value("budgetSeconds", r.budgetSeconds);
  r.overtimeSeconds = a.value("overtimeSeconds", r.overtimeSeconds);
  r.mostCheckingSeconds = a.value("mostCheckingSeconds", r.mostCheckingSeconds);
  r.candidates = a.value("candidates", r.candidates);
  r.attempt = a.value("attempt", r.attempt);
  r.domain = a.value("domain", std::string());
  r.exactness = a.value("exactness", std::string());
  r.breadth = breadthFrom(a.value("breadth", std::string()));
  r.worstInputs = a.value("worstInputs", std::string());
  r.expected = a.value("expected", std::string());
  return r;
}

Values batchFor(const Session& s, const Request& r, const torch::jit::Module& before) {
  Values values;
  if (!r.specs.empty())
    values = inputsFromSpecs(r.specs, r.dtype.empty() ? "float32" : r.dtype, s.device, s.seed);
  else if (!r.inputs.empty())
    values = readRegionInputs(s.workDir / r.inputs, s.inputs);  // each on the device where trace saw it
  else values = s.inputs;
  auto method = before.find_method("forward");
  if (!method) throw Error(r.before.path, "has no forward method");
  return fitted(values, method->function().getSchema());
}

std::function<torch::jit::Module()> referenceFor(const Session& s, const Request& r) {
  if (r.reference.path == "none") return nullptr;
  return [&s, &r] { return loadBound(s, r.reference, {.toDouble = true, .floatMeans = r.dtype}); };
}

void join(std::string& text, const std::string& more) {
  if (!more.empty()) text += (text.empty() ? "" : "; ") + more;
}

// That graphs were there and none was replayed explains a time that is no better.
void addGraphs(Verdict& v, const Subjects& subjects) {
  addRunnerState(v.before, subjects.before);
  std::string why = addRunnerState(v.after, subjects.after);
  auto replays = v.after.counters.find("graphReplays");
  if (replays != v.after.counters.end() && replays->second == 0)
    join(v.reason, "no CUDA graph was replayed" + (why.empty() ? "" : ": " + why));
}

void addProfiles(Verdict& v, Subjects& subjects, const Values& batch, const Session& s, const Request& r,
                 Pulse& pulse) {
  pulse.step("recording kernels of " + r.candidate);
  std::string lost;
  try {
    lost = addKernels(v.before, subjects.before, batch, s.device);
    if (lost.empty()) lost = addKernels(v.after, subjects.after, batch, s.device);
  } catch (const std::exception& e) {  // what has been measured stands all the same
    if (isLost(s.device)) throw;
    lost = "no kernel records: " + reasonOf(e);
  }
  join(v.reason, lost);
}

// That not every case was asked belongs to what is said of the outputs.
void addCases(Verdict& v, const Equivalence& equal) {
  if (equal.casesLeftOut == 0) return;
  v.after.counters["casesJudged"] = equal.cases;
  v.after.counters["casesLeftOut"] = equal.casesLeftOut;
}

// A fault on the device ends every later call in this process: say the verdict, then end, so that the front
// starts a fresh one.
void leaveIfLost(const Session& s, const Replies& replies, const Verdict& v) {
  if (!isLost(s.device)) return;
  std::fprintf(stderr, "%s: %s; the GPU's context is lost\n", v.candidate.c_str(), v.reason.c_str());
  replies.verdict(v);
  std::_Exit(3);
}

// An output of Python's, say: there is one case, and no second module.
Judged judgeAgainstFile(Session& s, const Request& r, torch::jit::Module module, Pulse& pulse, Verdict v) {
  Values batch = batchFor(s, r, module);
  c10::IValue expected = mapTensors(readValue(s.workDir / r.expected),
                                    [&](const at::Tensor& t) { return t.to(s.device.torch); });
  pulse.step("comparing with " + r.expected);
  Equivalence equal = judgeExpected(module, expected, batch, referenceFor(s, r), s.device, s.seed);
  v.accuracy = equal.accuracy;
  v.reason = equal.reason;
  v.outcome = equal.outcome == Outcome::Same ? Outcome::NotRun : equal.outcome;
  if (equal.outcome == Outcome::Same) join(v.reason, "not timed");
  return {v, equal.caseErrors};
}

// Of the budget, where the rest is for timing. Wide cases are many, and the question is mainly theirs.
double equivalenceShare(Breadth breadth) { return breadth == Breadth::Wide ? 0.75 : 0.5; }

Judged judge(Session& s, const Request& r, Pulse& pulse, Verdict v) {
  auto start = Clock::now();
  pulse.step("loading " + r.candidate);
  Binding plain{.toDouble = false, .floatMeans = r.dtype};
  if (!r.expected.empty()) return judgeAgainstFile(s, r, loadBound(s, r.before, plain), pulse, v);
  Subjects subjects{loadBound(s, r.before, plain), loadBound(s, r.after, plain), referenceFor(s, r)};
  Values batch = batchFor(s, r, subjects.before);

  EquivalencePlan plan;
  plan.breadth = r.breadth;
  if (!r.worstInputs.empty()) plan.worstInputs = s.workDir / r.worstInputs;
  plan.candidate = r.candidate;
  plan.domain = r.domain;
  plan.approximates = r.exactness == "approximates";
  plan.budgetSeconds = r.budgetSeconds * (r.timing ? equivalenceShare(r.breadth) : 1);
  plan.mostSeconds = r.mostCheckingSeconds;
  plan.seed = s.seed;
  Equivalence equal = judgeEquivalence(subjects, batch, s.device, plan, pulse);
  v.accuracy = equal.accuracy;
  v.before.firstCallMs = equal.beforeFirstCallMs;
  v.after.firstCallMs = equal.afterFirstCallMs;
  v.outcome = equal.outcome;
  v.reason = equal.reason;
  if (equal.outcome != Outcome::Same) return {v, equal.caseErrors};
  addCases(v, equal);
  if (r.timing) {
    double used = std::chrono::duration<double>(Clock::now() - start).count();
    pulse.step("timing " + r.candidate);
    PairPlan pair{std::max(1.0, r.budgetSeconds - used),
                  r.candidates,
                  s.seed + r.attempt,
                  s.nvml.get(),
                  {kSettlingRuns, equal.beforeFirstRunsMs, equal.afterFirstRunsMs},
                  equal.state.changing(),
                  r.overtimeSeconds,
                  r.brief};
    forgetCaptures(subjects.before);
    forgetCaptures(subjects.after);
    timePair(v, subjects.before, subjects.after, batch, s.device, pair, pulse);
    addGraphs(v, subjects);
    if (!equal.state.changing().empty()) join(v.reason, kStateTimed);
  } else {
    v.outcome = Outcome::NotRun;
    join(v.reason, "not timed");
  }
  // Calls that follow one another may run off the end of what they write.
  if (r.profile && equal.state.empty()) addProfiles(v, subjects, batch, s, r, pulse);
  return {v, equal.caseErrors};
}

}  // namespace

Json compare(Session& session, const Json& arguments, const Replies& replies) {
  Request r = requestFrom(arguments);
  Pulse pulse(replies);
  Verdict v;
  v.candidate = r.candidate;
  v.before.subject = r.before.path.empty() ? "as loaded" : r.before.path;
  v.after.subject = r.after.path.empty() ? "as loaded" : r.after.path;
  v.before.device = v.after.device = session.device.label();
  std::vector<CaseErrors> caseErrors;
  try {
    std::tie(v, caseErrors) = judge(session, r, pulse, v);
  } catch (const std::exception& e) {
    v.outcome = Outcome::Failed;
    v.reason = reasonOf(e);
    if (auto* ours = dynamic_cast<const Error*>(&e); ours && !ours->where.empty()) v.reason = e.what();
  }
  leaveIfLost(session, replies, v);
  if (v.outcome == Outcome::Failed) releaseCachedMemory(session.device);
  replies.verdict(v);
  return {{"caseErrors", caseErrors}};
}

}  // namespace kadvise

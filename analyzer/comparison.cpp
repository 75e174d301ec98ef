#include "analyzer/comparison.h"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <string_view>

#include "analyzer/core/most_gain.h"
#include "reports/ranking.h"

namespace kadvise {
namespace {

// LibTorch's executor may compile for a minute in the first calls, and the budget does not hold what has
// begun.
constexpr double kPatienceSeconds = 120, kPatiencePerBudget = 5;
// The candidate compiles other code than the original, and its cases may be larger.
constexpr double kStepSeconds = 60, kStepPerOriginal = 20;

// In the fresh process it was the first call; in the other, something of the module had run before.
void takeFirstCalls(Measurement& m, const Measurement& fresh) {
  m.firstCallMs = fresh.firstCallMs;
  if (auto it = fresh.counters.find("compileMs"); it != fresh.counters.end())
    m.counters["compileMs"] = it->second;
}

// "checking whole, case size 4 as 0" -> "size 4 as 0"; "" for any other step.
std::string caseOf(const std::string& step) {
  constexpr std::string_view kCase = ", case ";
  auto at = step.rfind(kCase);
  return at == std::string::npos ? "" : step.substr(at + kCase.size());
}

// What the first runs of the original took, known as soon as the next step begins.
class OriginalsTime {
 public:
  std::optional<double> takenBy(const std::string& step) {
    auto now = std::chrono::steady_clock::now();
    bool isBegun = begin_.has_value();
    if (step == kFirstRuns) begin_ = now;
    if (!isBegun || isTold_) return std::nullopt;
    isTold_ = true;
    return std::chrono::duration<double>(now - *begin_).count();
  }

 private:
  static constexpr const char* kFirstRuns = "first runs of the original";
  std::optional<std::chrono::steady_clock::time_point> begin_;
  bool isTold_ = false;
};

std::string figure(const Interval& i) {
  if (!std::isfinite(i.mid)) return "no figure";
  return fmt::format("{:.3f}x ({:.3f} to {:.3f})", i.mid, i.low, i.high);
}

}  // namespace

EngineLimits limitsOfComparing(EngineLimits usual, double budgetSeconds) {
  double patience = kPatienceSeconds + kPatiencePerBudget * budgetSeconds;
  if (usual.seconds <= 0 || patience < usual.seconds) usual.seconds = patience;
  return usual;
}

double patienceWith(double originalSeconds, double budgetSeconds) {
  return kStepSeconds + kStepPerOriginal * originalSeconds + budgetSeconds;
}

Compared compareIn(MeasureSession& session, const std::string& candidate, const std::string& doing,
                   Json arguments, const MessageHandler& others, const WaitHooks& hooks,
                   std::optional<EngineLimits> limits) {
  std::optional<Verdict> given;
  std::string lastCase;
  arguments["candidate"] = candidate;
  OriginalsTime original;
  auto handler = [&](const std::string& type, const Json& body) {
    if (type == "progress") {
      std::string step = body.value("what", std::string());
      lastCase = caseOf(step);
      auto seconds = original.takenBy(step);
      if (seconds && limits)
        session.engine()->limitSilence(patienceWith(*seconds, arguments.value("budgetSeconds", 0.0)));
    }
    if (type == "verdict") given = body.get<Verdict>();
    else if (others) others(type, body);
  };
  Reply reply = session.request("compare", arguments, doing, handler, hooks, limits);
  // A process that loses its GPU says why before it ends.
  bool isSaid = given && (reply || given->outcome == Outcome::Failed);
  Compared out;
  if (isSaid) out.verdict = *given;
  if (reply) out.caseErrors = reply.body.value("caseErrors", std::vector<CaseErrors>());
  out.verdict.candidate = candidate;
  if (reply.kind == Reply::Kind::Died) out.death = reply;
  if (isSaid) return out;
  out.verdict.outcome = session.usable() ? Outcome::Failed : Outcome::NotRun;
  out.verdict.reason = reply ? "kadvise-measure gave no verdict" : reply.reason;
  if (out.death && !lastCase.empty()) {
    out.verdict.reason += ", in case " + lastCase;
    out.verdict.accuracy.worstCase = lastCase;
  }
  return out;
}

Verdict confirmed(Verdict first, const Verdict& second) {
  if (second.outcome == Outcome::WrongOutput) return second;
  std::string before = first.reason.empty() ? "" : first.reason + "; ";
  if (second.outcome == Outcome::Faster) {
    first.reason = before + "confirmed in a fresh process: " + figure(second.speedup);
    takeFirstCalls(first.before, second.before);
    takeFirstCalls(first.after, second.after);
    first.before.counters["confirmedSpeedup"] = second.speedup.mid;
    if (second.speedup.mid < first.speedup.mid) first.speedup = second.speedup;
    return first;
  }
  first.outcome = Outcome::Ambiguous;
  bool isTimed = outputsEqual(second) && std::isfinite(second.speedup.mid) && second.speedup.mid > 0;
  bool isCredible = !second.before.device.starts_with("cpu") || isCredibleOnCpu(second.speedup.mid);
  bool isFigure = isTimed && isCredible;
  first.reason = before + figure(first.speedup) + " was not confirmed in a fresh process: " +
                 (isFigure ? figure(second.speedup) : second.reason);
  if (isFigure && second.speedup.low > 1 && !second.reason.empty())
    first.reason += ", which counts for nothing: " + second.reason;
  return first;
}

}  // namespace kadvise

#include "analyzer/comparison.h"

#include <algorithm>

namespace kadvise {
namespace {

// LibTorch's executor may compile for a minute in the first calls, and the budget does not hold what has
// begun.
constexpr double kPatienceSeconds = 120, kPatiencePerBudget = 5;

}  // namespace

EngineLimits limitsOfComparing(EngineLimits usual, double budgetSeconds) {
  double patience = kPatienceSeconds + kPatiencePerBudget * budgetSeconds;
  if (usual.seconds <= 0 || patience < usual.seconds) usual.seconds = patience;
  return usual;
}

Compared compareIn(MeasureSession& session, const std::string& candidate, const std::string& doing,
                   Json arguments, const MessageHandler& others, const WaitHooks& hooks,
                   std::optional<EngineLimits> limits) {
  std::optional<Verdict> given;
  arguments["candidate"] = candidate;
  auto handler = [&](const std::string& type, const Json& body) {
    if (type == "verdict") given = body.get<Verdict>();
    else if (others) others(type, body);
  };
  Reply reply = session.request("compare", arguments, doing, handler, hooks, limits);
  // A process that loses its GPU says why before it ends.
  bool isSaid = given && (reply || given->outcome == Outcome::Failed);
  Compared out;
  if (isSaid) out.verdict = *given;
  out.verdict.candidate = candidate;
  if (reply.kind == Reply::Kind::Died) out.death = reply;
  if (isSaid) return out;
  out.verdict.outcome = session.usable() ? Outcome::Failed : Outcome::NotRun;
  out.verdict.reason = reply ? "kadvise-measure gave no verdict" : reply.reason;
  return out;
}

}  // namespace kadvise

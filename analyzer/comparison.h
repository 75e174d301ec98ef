// One comparison by kadvise-measure. Whatever becomes of the process is a verdict on the candidate.
#pragma once

#include <optional>
#include <string>

#include "analyzer/core/case_errors.h"
#include "analyzer/core/types.h"
#include "analyzer/measure_session.h"

namespace kadvise {

struct Compared {
  Verdict verdict;
  std::vector<CaseErrors> caseErrors;
  std::optional<Reply> death;  // of the process, when it did not outlive the comparison
};

// arguments: of the verb `compare` but for `candidate`.
Compared compareIn(MeasureSession&, const std::string& candidate, const std::string& doing, Json arguments,
                   const MessageHandler& others, const WaitHooks&,
                   std::optional<EngineLimits> = std::nullopt);

// What a claim is worth that was measured twice, in two processes: the first verdict with the smaller of the
// two figures when both say faster, Ambiguous with both when the second does not, and the second when the
// outputs differ there.
Verdict confirmed(Verdict first, const Verdict& second);

// A comparison ends soon after its budget: one that takes many times as long hangs, and only its own verdict
// should wait for that. usual: the limits of any request.
EngineLimits limitsOfComparing(EngineLimits usual, double budgetSeconds);

// How long one step of a comparison may take, which is a few runs of both modules or a part of the timing:
// many times what the original's first runs took. A candidate that hangs is known by that.
double patienceWith(double originalSeconds, double budgetSeconds);

}  // namespace kadvise

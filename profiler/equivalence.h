// Do two modules compute the same? Contract, special values and accuracy, on the user's batch and on
// generated cases.
#pragma once

#include <torch/script.h>

#include <filesystem>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "analyzer/core/case_errors.h"
#include "analyzer/core/types.h"
#include "profiler/case_values.h"
#include "profiler/device.h"
#include "profiler/first_runs.h"
#include "profiler/inputs.h"
#include "profiler/pulse.h"

namespace kadvise {

struct Subjects {
  torch::jit::Module before, after;
  // before in float64, or empty. Loaded when the first output is not bitwise equal, which is often never.
  std::function<torch::jit::Module()> reference;
};

struct EquivalencePlan {
  std::string candidate;      // for progress
  std::string domain;         // a declared difference, see domainFrom(); "" is strict
  bool approximates = false;  // declared: judged by its relative error (5%), which the reason states
  Breadth breadth = Breadth::AsGiven;
  double budgetSeconds = 30;  // the questions of the batch itself may take several times as long
  double mostSeconds = std::numeric_limits<double>::infinity();  // but no longer than that
  std::uint64_t seed = 0;
  std::filesystem::path worstInputs;  // where the inputs of the worst case are saved; "": nowhere
};

struct Equivalence {
  Outcome outcome = Outcome::Failed;   // Same, WrongOutput, Failed, NotRun
  Accuracy accuracy;                   // of the worst case and output
  std::vector<CaseErrors> caseErrors;  // of all that were judged
  std::string reason;
  bool saved = false;               // plan.worstInputs was written
  int cases = 0, casesLeftOut = 0;  // judged, and not for want of time
  double beforeFirstCallMs = 0, afterFirstCallMs = 0;
  double beforeFirstRunsMs = 0, afterFirstRunsMs = 0;  // of kSettlingRuns together
  OwnState state;                                      // that the modules keep from call to call
};

Equivalence judgeEquivalence(Subjects&, const Values& batch, const Device&, const EquivalencePlan&, Pulse&);

}  // namespace kadvise

// The original and the candidate, each run once on the inputs of one case.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "profiler/cases.h"
#include "profiler/equivalence.h"
#include "profiler/observed_run.h"

namespace kadvise {

enum class First { Original, Candidate };

// A run that failed is missing, and says why it did.
struct BothRuns {
  std::optional<ObservedRun> original, candidate;
  std::string originalFails, candidateFails;
  bool isLost = false;  // the device, by the candidate
};

// The candidate is not run where the original, which comes first, fails.
BothRuns runBoth(Subjects&, const Case&, First, const Device&,
                 const std::function<ObservedRun(torch::jit::Module&, Values inputs)>& observe);

}  // namespace kadvise

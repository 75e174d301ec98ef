#include "profiler/both_runs.h"

#include "profiler/failure.h"
#include "profiler/values.h"

namespace kadvise {

BothRuns runBoth(Subjects& subjects, const Case& c, First first, const Device& device,
                 const std::function<ObservedRun(torch::jit::Module&, Values inputs)>& observe) {
  BothRuns runs;
  auto attempt = [&](torch::jit::Module& module, std::optional<ObservedRun>& run, std::string& fails) {
    try {
      run = observe(module, cloneOf(c.inputs));
    } catch (const std::exception& e) {
      fails = reasonOf(e);
    }
  };
  if (first == First::Candidate) attempt(subjects.after, runs.candidate, runs.candidateFails);
  runs.isLost = !runs.candidateFails.empty() && isLost(device);
  if (!runs.isLost) attempt(subjects.before, runs.original, runs.originalFails);
  if (first == First::Original && runs.original) attempt(subjects.after, runs.candidate, runs.candidateFails);
  return runs;
}

}  // namespace kadvise

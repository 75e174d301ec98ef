#include "profiler/unforeseen_writes.h"

#include "profiler/own_state.h"

namespace kadvise {

UnforeseenWrites::UnforeseenWrites(const torch::jit::Module& before, const torch::jit::Module& after)
    : before_(before), after_(after), wasBefore_(before), wasAfter_(after) {}

std::optional<Ending> UnforeseenWrites::ending(const std::string& caseName,
                                               const std::function<void()>& callOriginal) const {
  const ModuleState isBefore(before_);
  auto written = wasAfter_.changedIn(ModuleState(after_));
  if (!written) written = wasBefore_.changedIn(isBefore);
  if (!written) return std::nullopt;
  // What the original has put into a dictionary of its own it finds there when it is called again.
  for (const auto& name : wasBefore_.changesIn(isBefore))
    if (isDictionary(before_, name))
      return Ending{Outcome::NotRun, undecidedFor(name) + " (case " + caseName + ")"};
  try {
    callOriginal();
  } catch (const std::exception&) {  // which refuses this case; what it wrote until then it wrote
  }
  if (auto byOriginal = isBefore.changedIn(ModuleState(before_)))
    return Ending{Outcome::NotRun, undecidedFor(*byOriginal) + " (case " + caseName + ")"};
  return Ending{Outcome::WrongOutput, "the candidate changes its own " + *written + " when it runs (case " +
                                          caseName + "), the original does not"};
}

}  // namespace kadvise

// The first runs of a module, in which the executor specialises it, and what they show of the state that it
// keeps.
#pragma once

#include <torch/script.h>

#include <optional>
#include <string>

#include "analyzer/core/types.h"
#include "profiler/device.h"
#include "profiler/inputs.h"
#include "profiler/own_state.h"

namespace kadvise {

inline constexpr int kSettlingRuns = 2;  // the executor specialises in them; the first case is the third run

struct Ending {
  Outcome outcome;
  std::string reason;
};

struct Settled {
  double firstCallMs = 0, allMs = 0;
  std::optional<Ending> ending;  // where nothing can be compared
};

// Both leave the module as it was, unless that is why they end. The state is learnt from the original.
Settled settleOriginal(torch::jit::Module&, const Values& batch, const Device&, OwnState&);
Settled settleCandidate(torch::jit::Module&, const torch::jit::Module& original, const Values& batch,
                        const Device&, const OwnState&);

}  // namespace kadvise

// One call of a module, and what it did besides answering.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <optional>
#include <string>

#include "profiler/canary.h"
#include "profiler/contract.h"
#include "profiler/device.h"
#include "profiler/inputs.h"
#include "profiler/own_state.h"

namespace kadvise {

struct ObservedRun {
  Run run;
  // The first output that was still being written when the stream of the call had ended: "output 0".
  std::optional<std::string> late;
  // On a CPU: where memory was written that belongs to no tensor, "behind a block of 400 bytes".
  std::optional<std::string> outside;
  bool drawsNumbers = false;  // random ones: in float64 the module would draw others
};

// What the candidate wrote too late or out of bounds in a case in which the original did not.
std::optional<std::string> strayWrite(const ObservedRun& original, const ObservedRun& candidate,
                                      const std::string& caseName);

// Seeds, fills unwritten memory, calls, and waits for the device. The inputs are the module's to write.
// Inference mode must be set by the caller for as long as the outputs live. state: what the module's own
// attributes are to hold; what they hold after it stands behind the outputs, and the module has its own
// again.
ObservedRun observedRun(torch::jit::Module&, Values inputs, const Device&, std::uint64_t seed,
                        Canary::Fill = Canary::Fill::Nan, const Attributes& state = {});

}  // namespace kadvise

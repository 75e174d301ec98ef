// Runs the `when` function of a group on meta tensors of the matched shapes, strides and dtypes.
#pragma once

#include <optional>
#include <string>

#include "analyzer/core/hardware.h"
#include "analyzer/graph/match.h"

namespace kadvise::graph {

struct Target {
  std::string device;             // "cpu" or "cuda"
  int arch = 0;                   // 90 for sm_90, 0 on a CPU
  const Gpu* gpu = defaultGpu();  // that estimates are for
};

// What a condition sees of a value: its constant, or a tensor without storage. nullopt where nothing is
// known.
std::optional<c10::IValue> withoutData(const torch::jit::Value*, const TracedValues&);

// nullopt when the condition holds. The reason is the message of the assert that failed, or the condition's
// text.
std::optional<Mismatch> whyNotHere(const Group&, const Pattern&, const Match&, const TracedValues&,
                                   const Target&);

}  // namespace kadvise::graph

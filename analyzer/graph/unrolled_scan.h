// A selective state-space recurrence whose loop over the times a trace has unrolled:
//
//   a = exp(A dt), b = dt B x;  h = a[0] h0 + b[0], y[0] = h C[0];  h = a[1] h + b[1], y[1] = h C[1]; …
//   stack(y), and then perhaps + D x, and * silu(z)
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "analyzer/graph/torch.h"
#include "analyzer/graph/values.h"

namespace kadvise::graph {

struct UnrolledScan {
  using Value = torch::jit::Value;
  Value *x = nullptr, *dt = nullptr;  // [batch, channel, time]
  Value* A = nullptr;                 // [1, channel, 1, state]
  Value* B = nullptr;                 // [batch, 1, time, state]
  Value* C = nullptr;                 // [batch, time, state], or [batch, state, time]
  bool timesOfCLast = false;
  Value *D = nullptr, *z = nullptr;  // D: as many elements as channels; null for none
  Value* bias = nullptr;             // the same, of dt; null for none
  bool softplus = false;             // of dt, behind the bias
  Value* start = nullptr;            // zeros: the states before the first time
  Value* result = nullptr;           // what all this makes
  std::int64_t steps = 0;
  std::vector<torch::jit::Node*> nodes;  // in execution order
  std::string why;                       // not empty: a recurrence, but not of this kind
};

// The recurrence whose results the node stacks; nullopt where it stacks something else.
std::optional<UnrolledScan> unrolledScanAt(torch::jit::Node* stack, const TracedValues&);

}  // namespace kadvise::graph

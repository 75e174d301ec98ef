// Numbers and constants of the host that a GPU gets with the launch, or has already, instead of by a copy
// that the host waits for.
#pragma once

#include "analyzer/graph/placement.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// torch.tensor(n, device=x.device)  ->  torch.full([], n, device=x.device), and of a list of numbers a stack
// of these; the same where a number is moved there, torch.tensor(n).to(x). A constant that is moved to the
// GPU, or that indexes what is there, becomes a buffer of the module, which is there. The values are the
// same, and a CUDA graph can hold it. What stays on the host stays as it is. In place.
void numbersOnDevice(torch::jit::Module&, const TracedValues&, const Target&);

}  // namespace kadvise::graph

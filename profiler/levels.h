// The verbs `freeze` and `graph`: what LibTorch and CUDA make of the user's module without a replacement of
// ours.
#pragma once

#include "profiler/session.h"

namespace kadvise {

// Writes the module as torch.jit.freeze makes it, weights included.
Json freeze(Session&, const Json& arguments, const Replies&);

// The replay of the module's CUDA graph against the module: one verdict message, then done {}.
Json compareGraph(Session&, const Json& arguments, const Replies&);

}  // namespace kadvise

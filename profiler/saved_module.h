// The user's file with every tensor where the author saved it.
#pragma once

#include "profiler/bind.h"

namespace kadvise {

// The module of a request as `torch.jit.load` gives it: loading a file to a device moves the constants of a
// trace too, and when small ones (numbers of shapes) lie on the GPU the host waits for each that it reads,
// which no capture allows. Falls back to loadBound() for files whose weights are not on the session's device.
torch::jit::Module loadAsSaved(const Session&, const ModuleRef&);

}  // namespace kadvise

// The pieces of a concatenation as one kernel: each is a program of its own, on blocks of its own.
#pragma once

#include "kernels/rowprogram/emit.h"

#include <span>

namespace kadvise::rowprogram {

// The kernel takes the inputs' addresses of all pieces in order, then those of all outputs. Without a kernel
// where one of them would be served better, or only, by another form than Flat.
Source emitJoined(std::span<const Problem>, const Gpu&);

}  // namespace kadvise::rowprogram

// Batches of signals [N, C, L], images [N, C, H, W] and volumes [N, C, D, H, W], in the two dense layouts
// that the kernels take as they lie: contiguous, and with the channels last.
#pragma once

#include "kernels/common/tensors.h"

#include <c10/core/SymIntArrayRef.h>

namespace kadvise {

// Whether the channels of x lie together. Of three dimensions, too, for which torch has no memory format:
// what a transpose of [N, L, C] is.
bool isChannelsLast(const Tensor& x);

// x itself where it has that layout already.
Tensor inLayout(const Tensor& x, bool channelsLast);

Tensor emptyImages(c10::SymIntArrayRef sizes, bool channelsLast, const at::TensorOptions& options);

}  // namespace kadvise

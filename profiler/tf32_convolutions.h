// Float32 convolutions as TF32 computes them. Where a process allows TF32 (torch.backends.cudnn.allow_tf32,
// on by default), cuDNN takes it or not by sizes and layouts, so that either is what the module promises.
#pragma once

#include <c10/core/impl/LocalDispatchKeySet.h>

#include "profiler/device.h"

namespace kadvise {

// Whether cuDNN may compute float32 convolutions of this process in TF32 on that device.
bool mayConvolveInTf32(const Device&);

// While it lives, the convolutions that this thread starts on such a device read float32 operands rounded to
// the 10 bits of TF32, to the nearest, as cuDNN's kernels do (tests/bench/results/others.h200.txt). Not those
// that say themselves that they are not for cuDNN, or not in TF32.
class ConvolutionsInTf32 {
 public:
  explicit ConvolutionsInTf32(at::DeviceType);
  bool sawOne() const;  // of float32

 private:
  c10::impl::IncludeDispatchKeyGuard guard_;
};

}  // namespace kadvise

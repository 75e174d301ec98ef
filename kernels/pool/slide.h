// Windows that begin at every element: neighbours share most of what they add up.
#pragma once

#include "kernels/pool/window.h"

namespace kadvise {

// Whether windows begin at every element, and four in a row have an element that is in all of them.
inline bool slides(const PoolDim& d) { return d.stride == 1 && d.dilation == 1 && d.kernel >= 4; }

// Adds up kRun windows that begin one behind the other, of which each has `kernel` elements: at least kRun,
// so that all have the one where the last begins. next(): the next element, or its like of many windows;
// add(sum, element).
template <int kRun, class Sum, class Next, class Add>
KADVISE_HOST_DEVICE void slide(int kernel, Sum (&sum)[kRun], Next next, Add add) {
#pragma unroll
  for (int i = 0; i < kRun - 1; ++i) {
    const auto v = next();
#pragma unroll
    for (int j = 0; j <= i; ++j) add(sum[j], v);
  }
#pragma unroll 4
  for (int i = kRun - 1; i < kernel; ++i) {
    const auto v = next();
#pragma unroll
    for (int j = 0; j < kRun; ++j) add(sum[j], v);
  }
#pragma unroll
  for (int i = 0; i < kRun - 1; ++i) {
    const auto v = next();
#pragma unroll
    for (int j = i + 1; j < kRun; ++j) add(sum[j], v);
  }
}

}  // namespace kadvise

// The kernels there are: the usual windows along the columns, and one for all others. Depth and rows are
// counted when a kernel runs.
#pragma once

#include "kernels/pool/window.h"

namespace kadvise {

inline bool isPoolForm(const PoolDim& d, int kernel, int stride, int pad) {
  return d.dilation == 1 && d.kernel == kernel && d.stride == stride && d.pad == pad;
}

// Calls `with` for the form, and returns what it returns. kLanes: channels of a thread where they lie
// together. With: a function object of one template parameter, the form.
template <int kLanes, class With>
auto withPoolForm(const PoolArgs& a, bool byChannels, With with) {
  const PoolDim& d = a.columns;
  if (byChannels) {
    if (isPoolForm(d, 2, 2, 0)) return with.template operator()<PoolForm<2, 2, 0, kLanes, 2>>();
    if (isPoolForm(d, 3, 2, 1)) return with.template operator()<PoolForm<3, 2, 1, kLanes, 2>>();
    if (isPoolForm(d, 3, 1, 1)) return with.template operator()<PoolForm<3, 1, 1, kLanes, 2>>();
    return with.template operator()<PoolForm<0, 0, 0, kLanes, 1>>();
  }
  if (isPoolForm(d, 2, 2, 0)) return with.template operator()<PoolForm<2, 2, 0, 1, 4>>();
  if (isPoolForm(d, 3, 2, 1)) return with.template operator()<PoolForm<3, 2, 1, 1, 4>>();
  if (isPoolForm(d, 3, 1, 1)) return with.template operator()<PoolForm<3, 1, 1, 1, 4>>();
  return with.template operator()<PoolForm<0, 0, 0, 1, 1>>();
}

}  // namespace kadvise

// The kernels there are: the usual square windows, and one for all others.
#pragma once

#include "kernels/pool/square.h"
#include "kernels/pool/window.h"

namespace kadvise {

inline bool isPoolForm(const PoolDim& d, int kernel, int stride, int pad) {
  return d.dilation == 1 && d.kernel == kernel && d.stride == stride && d.pad == pad;
}

// Calls `with` for the form, and returns what it returns. kLanes: channels of a thread where they lie
// together. With: a function object with two functions of one template parameter, the form.
template <int kLanes, class With>
auto withPoolForm(const PoolArgs& a, bool byChannels, With with) {
  const auto isSquare = [&](int kernel, int stride, int pad) {
    return a.depth.dilation == 1 && isPoolForm(a.rows, kernel, stride, pad) &&
           isPoolForm(a.columns, kernel, stride, pad);
  };
  const bool known = (byChannels || !a.channelsLast) && isSmallPool(a);
  if (known && byChannels) {
    if (isSquare(2, 2, 0)) return with.template square<SquareForm<2, 2, 0, kLanes, 1, 2>>();
    if (isSquare(3, 2, 1)) return with.template square<SquareForm<3, 2, 1, kLanes, 1, 2>>();
    if (isSquare(3, 1, 1)) return with.template square<SquareForm<3, 1, 1, kLanes, 2, 2>>();
  } else if (known) {
    if (isSquare(2, 2, 0)) return with.template square<SquareForm<2, 2, 0, 1, 2, 4>>();
    if (isSquare(3, 2, 1)) return with.template square<SquareForm<3, 2, 1, 1, 2, 4>>();
    if (isSquare(3, 1, 1)) return with.template square<SquareForm<3, 1, 1, 1, 2, 4>>();
  }
  return byChannels ? with.template any<AnyForm<kLanes>>() : with.template any<AnyForm<1>>();
}

}  // namespace kadvise

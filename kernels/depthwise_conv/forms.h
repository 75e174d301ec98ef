// The kernels there are: sizes and strides that are known when they are compiled, so that everything a thread
// holds has a register.
#pragma once

#include "kernels/depthwise_conv/march.h"

namespace kadvise {

// Of an image whose channels lie together: two channels, so that the weights of large kernels have room; four
// and as many columns for small ones, which wait for memory and need much of it on its way.
template <int kSize, int kStride>
using ImageOfChannels = DepthwiseForm<kSize, kSize, kStride, kStride, kSize == 3 ? 4 : 2,
                                      (kSize == 7 ? 2 * kStride : 4) / kStride>;

// Of an image whose columns lie together.
template <int kSize, int kStride>
using ImageOfColumns = DepthwiseForm<kSize, kSize, kStride, kStride, 1, 4>;

// A signal whose channels lie together is a column of an image, another a row.
template <int kSize>
using SignalOfChannels = DepthwiseForm<kSize, 1, 1, 1, 4, 1>;
template <int kSize>
using SignalOfColumns = DepthwiseForm<1, kSize, 1, 1, 1, 4>;

inline bool isForm(const DepthwiseArgs& a, int rows, int columns, int strideRows, int strideColumns) {
  return !isDilated(a) && a.kernelRows == rows && a.kernelColumns == columns && a.strideRows == strideRows &&
         a.strideColumns == strideColumns;
}

// Calls `with` for the form of kernel and stride, of channels or of columns, and returns what it returns;
// else `none`. With: a function object of one template parameter, the form.
template <class Result, class With>
Result withDepthwiseForm(const DepthwiseArgs& a, bool byChannels, Result none, With with) {
  Result result = none;
  const auto image = [&]<int kSize, int kStride>() {
    if (!isForm(a, kSize, kSize, kStride, kStride)) return false;
    result = byChannels ? with.template operator()<ImageOfChannels<kSize, kStride>>()
                        : with.template operator()<ImageOfColumns<kSize, kStride>>();
    return true;
  };
  const auto signal = [&]<int kSize>() {
    if (byChannels && isForm(a, kSize, 1, 1, 1)) {
      result = with.template operator()<SignalOfChannels<kSize>>();
      return true;
    }
    if (byChannels || !isForm(a, 1, kSize, 1, 1)) return false;
    result = with.template operator()<SignalOfColumns<kSize>>();
    return true;
  };
  (void)(image.template operator()<3, 1>() || image.template operator()<3, 2>() ||
         image.template operator()<5, 1>() || image.template operator()<5, 2>() ||
         image.template operator()<7, 1>() || image.template operator()<7, 2>() ||
         signal.template operator()<3>() || signal.template operator()<4>() ||
         signal.template operator()<5>() || signal.template operator()<6>() ||
         signal.template operator()<7>());
  return result;
}

struct IsDepthwiseForm {
  template <class Form>
  bool operator()() const {
    return true;
  }
};

// Whether images of these sizes have one, however they lie.
inline bool hasImageForm(const DepthwiseArgs& a) {
  return a.kernelRows == a.kernelColumns &&
         withDepthwiseForm(a, /*byChannels=*/false, /*none=*/false, IsDepthwiseForm{});
}

}  // namespace kadvise

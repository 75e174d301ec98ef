// A depthwise convolution of tensors of the host, as its threads are given it.
#pragma once

#include <ATen/ATen.h>

#include "kernels/depthwise_conv/launch.h"

namespace kadvise::test {

struct DepthwiseSettings {
  std::int32_t strideRows, strideColumns, padRows, padColumns, dilationRows, dilationColumns;
};

// Of floats. x may be a slice; the others are dense.
inline DepthwiseArgs depthwiseArgs(const at::Tensor& x, const at::Tensor& weight, const at::Tensor& bias,
                                   at::Tensor& y, const DepthwiseSettings& s, bool channelsLast) {
  DepthwiseArgs a{};
  a.x = x.const_data_ptr();
  a.weight = weight.const_data_ptr();
  a.bias = bias.const_data_ptr();
  a.result = y.mutable_data_ptr();
  a.images = x.size(0), a.channels = x.size(1), a.rows = x.size(2), a.columns = x.size(3);
  a.resultRows = y.size(2), a.resultColumns = y.size(3);
  a.kernelRows = static_cast<std::int32_t>(weight.size(2));
  a.kernelColumns = static_cast<std::int32_t>(weight.size(3));
  a.strideRows = s.strideRows, a.strideColumns = s.strideColumns;
  a.padRows = s.padRows, a.padColumns = s.padColumns;
  a.dilationRows = s.dilationRows, a.dilationColumns = s.dilationColumns;
  a.steps = {x.stride(0), x.stride(1), x.stride(2), x.stride(3)};
  a.channelsLast = channelsLast;
  a.dtype = Dtype::Float;
  a.activation = kNoActivation;
  return a;
}

}  // namespace kadvise::test

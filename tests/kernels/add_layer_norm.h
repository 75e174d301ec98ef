// kadvise::add_layer_norm, and the measure of its results.
#pragma once

#include "tests/kernels/on_device.h"

namespace kadvise::test {

using Results = std::tuple<Tensor, Tensor>;  // normalized, sum

inline Results addLayerNorm(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                            const Maybe& weight = {}, const Maybe& bias = {}, double eps = 1e-5) {
  static const auto op = operatorNamed<Results(const Tensor&, const Tensor&, c10::SymIntArrayRef,
                                               const Maybe&, const Maybe&, double)>("add_layer_norm");
  return op.call(x, residual, c10::fromIntArrayRefSlow(shape), weight, bias, eps);
}

// What the operator stands for.
inline Results composition(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                           const Maybe& weight = {}, const Maybe& bias = {}, double eps = 1e-5) {
  Tensor sum = at::add(x, residual);
  return {at::layer_norm(sum, shape, weight, bias, eps), sum};
}

// The sum bit for bit; the norm as near the exact value as torch's own.
inline void expectAsAccurate(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                             const Maybe& weight, const Maybe& bias) {
  const auto [normalized, sum] = addLayerNorm(x, residual, shape, weight, bias);
  const auto [torchNormalized, torchSum] = composition(x, residual, shape, weight, bias);
  ASSERT_TRUE(at::equal(sum, torchSum));
  const Tensor exact = at::layer_norm(torchSum.to(at::kDouble), shape, wide(weight), wide(bias), 1e-5);
  expectAsAccurate(normalized, torchNormalized, exact);
}

}  // namespace kadvise::test

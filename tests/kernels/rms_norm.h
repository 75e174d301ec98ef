// kadvise::rms_norm and kadvise::add_rms_norm, and what they stand for.
#pragma once

#include "tests/kernels/on_device.h"

namespace kadvise::test {

constexpr double kEps = 1e-6;

enum class Rounds { AfterWeight, BeforeWeight };

inline Tensor rmsNorm(const Tensor& x, const Maybe& weight, Rounds rounds, double eps = kEps) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Maybe&, double, bool)>("rms_norm");
  return op.call(x, weight, eps, rounds == Rounds::BeforeWeight);
}

using Pair = std::tuple<Tensor, Tensor>;  // normalized, sum
inline Pair addRmsNorm(const Tensor& x, const Tensor& residual, const Maybe& weight, Rounds rounds,
                       double eps = kEps) {
  static const auto op =
      operatorNamed<Pair(const Tensor&, const Tensor&, const Maybe&, double, bool)>("add_rms_norm");
  return op.call(x, residual, weight, eps, rounds == Rounds::BeforeWeight);
}

// As models write it, with the upcast that they all have.
inline Tensor writtenOut(const Tensor& x, const Maybe& weight, Rounds rounds, double eps = kEps) {
  const bool isLow = x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16;
  const Tensor high = isLow ? x.to(at::kFloat) : x;
  Tensor scaled = high * at::rsqrt(high.pow(2).mean(-1, true) + eps);
  if (rounds == Rounds::BeforeWeight) scaled = scaled.to(x.scalar_type());
  if (weight && weight->defined()) scaled = scaled * *weight;
  return rounds == Rounds::BeforeWeight ? scaled : scaled.to(x.scalar_type());
}

// The norm as near the exact values as the form written out; with a residual, the sum bit for bit.
inline void expectRmsNorm(const Tensor& x, const Maybe& weight, Rounds rounds) {
  const Tensor exact = writtenOut(x.to(at::kDouble), wide(weight), rounds);
  expectAsAccurate(rmsNorm(x, weight, rounds), writtenOut(x, weight, rounds), exact);
}
inline void expectAddRmsNorm(const Tensor& x, const Tensor& residual, const Maybe& weight, Rounds rounds) {
  const auto [normalized, sum] = addRmsNorm(x, residual, weight, rounds);
  const Tensor torchSum = at::add(x, residual);
  ASSERT_TRUE(at::equal(sum, torchSum));
  const Tensor exact = writtenOut(torchSum.to(at::kDouble), wide(weight), rounds);
  expectAsAccurate(normalized, writtenOut(torchSum, weight, rounds), exact);
}

struct RmsNorm : OnDevice {};
struct RmsNormOnGpu : OnDevice {};

}  // namespace kadvise::test

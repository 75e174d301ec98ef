// Cases that run for the CPU and for a GPU, and the measure of their results.
#pragma once

#include "tests/kernels/kernels.h"

namespace kadvise::test {

using at::Tensor;

struct OnDevice : testing::TestWithParam<const char*> {
  void SetUp() override {
    if (GetParam() == std::string("cuda") && !hasCuda())
      GTEST_SKIP() << "SKIPPED: no CUDA device, nothing was tested";
    at::manual_seed(7);
  }
  at::TensorOptions of(at::ScalarType dtype) const {
    return at::TensorOptions(at::Device(GetParam())).dtype(dtype);
  }
  bool isCuda() const { return GetParam() == std::string("cuda"); }

  // Values are drawn on the CPU in double, so that both devices and all dtypes see the same ones.
  Tensor random(at::IntArrayRef sizes, at::ScalarType dtype, double mean = 0, double deviation = 1) const {
    return (at::randn(sizes, at::kDouble) * deviation + mean).to(of(dtype));
  }
};

inline constexpr at::ScalarType kDtypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

inline double roundingUnit(at::ScalarType dtype) {
  return dtype == at::kFloat ? 0x1p-24 : dtype == at::kHalf ? 0x1p-11 : 0x1p-8;
}

struct Error {
  double rms, max;
  double typical, largest;  // magnitudes of the exact values
};

inline Error errorOf(const Tensor& result, const Tensor& exact) {
  const Tensor difference = (result.to(at::kDouble) - exact).abs();
  const auto root = [](const Tensor& t) { return t.square().mean().sqrt().item<double>(); };
  return {root(difference), difference.max().item<double>(), root(exact), exact.abs().max().item<double>()};
}

// The sum bit for bit; the norm as near the exact value as torch's own. A row has one scale, whose rounding
// its elements share, so that few rows may have luck: hence the roundings allowed on top.
inline void expectAsAccurate(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                             const Maybe& weight, const Maybe& bias) {
  const auto [normalized, sum] = addLayerNorm(x, residual, shape, weight, bias);
  const auto [torchNormalized, torchSum] = composition(x, residual, shape, weight, bias);
  ASSERT_TRUE(at::equal(sum, torchSum));
  const auto wide = [](const Maybe& t) { return t && t->defined() ? Maybe(t->to(at::kDouble)) : Maybe(); };
  const Tensor exact = at::layer_norm(torchSum.to(at::kDouble), shape, wide(weight), wide(bias), 1e-5);
  const Error ours = errorOf(normalized, exact), theirs = errorOf(torchNormalized, exact);
  const double unit = roundingUnit(x.scalar_type());
  EXPECT_LE(ours.rms, 1.25 * theirs.rms + 2 * unit * ours.typical) << "torch " << theirs.rms;
  EXPECT_LE(ours.max, 1.5 * theirs.max + 3 * unit * ours.largest) << "torch " << theirs.max;
}

}  // namespace kadvise::test

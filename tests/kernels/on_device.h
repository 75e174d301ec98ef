// Cases that run for the CPU and for a GPU, and the measure of their results.
#pragma once

#include "tests/kernels/kernels.h"

#include <functional>

namespace kadvise::test {

struct OnDevice : testing::TestWithParam<const char*> {
  void SetUp() override {
    // Asked before a case for the CPU, too: torch remembers the answer of whoever asked first.
    const bool has = hasCuda();
    if (isCuda() && !has) GTEST_SKIP() << "SKIPPED: no CUDA device, nothing was tested";
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

// How far beyond the error of the operators written out: a factor, and roundings of the exact values' size on
// top, since few values may have luck.
struct Allowed {
  double rms, rmsRoundings, max, maxRoundings;
};
inline constexpr Allowed kSameAlgorithm{1.25, 2, 1.5, 3};
// Sums in another order, and an epilogue that does not round before it.
inline constexpr Allowed kOtherAlgorithm{2, 4, 2, 16};

// As near the exact values as the operators written out are.
inline void expectAsAccurate(const Tensor& ours, const Tensor& theirs, const Tensor& exact,
                             const Allowed& allowed = kSameAlgorithm) {
  ASSERT_EQ(ours.sizes(), exact.sizes());
  ASSERT_EQ(ours.sizes(), theirs.sizes());
  ASSERT_EQ(ours.scalar_type(), theirs.scalar_type());
  if (ours.numel() == 0) return;
  const Error our = errorOf(ours, exact), their = errorOf(theirs, exact);
  const double unit = roundingUnit(ours.scalar_type());
  EXPECT_LE(our.rms, allowed.rms * their.rms + allowed.rmsRoundings * unit * our.typical)
      << "torch " << their.rms;
  EXPECT_LE(our.max, allowed.max * their.max + allowed.maxRoundings * unit * our.largest)
      << "torch " << their.max;
}

// Undefined stays so.
inline Maybe wide(const Maybe& t) { return t && t->defined() ? Maybe(t->to(at::kDouble)) : Maybe(); }

// The message of the error, or that there was none.
inline std::string outcomeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no error";
}

// Values of x's layout, for meta functions: .to(meta) would lose the strides of views.
inline Tensor onMeta(const Tensor& t) {
  return at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kMeta));
}

}  // namespace kadvise::test

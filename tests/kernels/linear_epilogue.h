// What the tests of linear, linear_activation and linear_add share.
#pragma once

#include "tests/kernels/on_device.h"

#include <functional>
#include <vector>

namespace kadvise::test {

inline void expectAsAccurateProduct(const Tensor& ours, const Tensor& theirs, const Tensor& exact) {
  EXPECT_TRUE(ours.is_contiguous());
  expectAsAccurate(ours, theirs, exact, kOtherAlgorithm);
}

struct LinearOperands {
  Tensor x, weight, bias;
};
struct LinearLayout {
  const char* name;
  std::function<LinearOperands(const std::function<Tensor(at::IntArrayRef)>&)> make;
};

// 64 features to 128, but where a name says otherwise.
inline const std::vector<LinearLayout>& linearLayouts() {
  using New = std::function<Tensor(at::IntArrayRef)>;
  static const std::vector<LinearLayout> all = {
      {"contiguous", [](const New& t) { return LinearOperands{t({3, 5, 64}), t({128, 64}), t({128})}; }},
      {"a weight as inputs by outputs",
       [](const New& t) { return LinearOperands{t({3, 5, 64}), t({64, 128}).t(), t({128})}; }},
      {"columns of a wider weight",
       [](const New& t) { return LinearOperands{t({15, 64}), t({128, 96}).slice(1, 16, 80), t({128})}; }},
      {"a weight with gaps",
       [](const New& t) { return LinearOperands{t({15, 64}), t({128, 128}).slice(1, 0, 128, 2), t({128})}; }},
      {"a weight that is expanded",
       [](const New& t) { return LinearOperands{t({15, 64}), t({1, 64}).expand({128, 64}), t({128})}; }},
      {"a bias with gaps",
       [](const New& t) { return LinearOperands{t({15, 64}), t({128, 64}), t({256}).slice(0, 0, 256, 2)}; }},
      {"rows transposed",
       [](const New& t) { return LinearOperands{t({3, 5, 64}).transpose(0, 1), t({128, 64}), t({128})}; }},
      {"columns transposed",
       [](const New& t) { return LinearOperands{t({3, 64, 5}).transpose(1, 2), t({128, 64}), t({128})}; }},
      {"columns of a wider x",
       [](const New& t) { return LinearOperands{t({3, 5, 80}).slice(2, 8, 72), t({128, 64}), t({128})}; }},
      {"columns at an odd place",
       [](const New& t) { return LinearOperands{t({15, 67}).slice(1, 1, 65), t({128, 64}), t({128})}; }},
      {"all at odd places",
       [](const New& t) {
         return LinearOperands{t({961}).slice(0, 1).view({15, 64}), t({8193}).slice(0, 1).view({128, 64}),
                               t({129}).slice(0, 1)};
       }},
      {"one row again and again",
       [](const New& t) { return LinearOperands{t({1, 64}).expand({15, 64}), t({128, 64}), t({128})}; }},
      {"one row", [](const New& t) { return LinearOperands{t({1, 64}), t({128, 64}), t({128})}; }},
      {"one dimension", [](const New& t) { return LinearOperands{t({64}), t({128, 64}), t({128})}; }},
      {"33 features to 17", [](const New& t) { return LinearOperands{t({7, 33}), t({17, 33}), t({17})}; }},
      {"one feature to one", [](const New& t) { return LinearOperands{t({7, 1}), t({1, 1}), t({1})}; }},
      {"1024 features to 4096",
       [](const New& t) { return LinearOperands{t({2, 70, 1024}), t({4096, 1024}) * 0.03, t({4096})}; }},
      {"four dimensions",
       [](const New& t) { return LinearOperands{t({2, 1, 3, 64}), t({128, 64}), t({128})}; }},
      {"no rows", [](const New& t) { return LinearOperands{t({3, 0, 64}), t({128, 64}), t({128})}; }},
      {"no features", [](const New& t) { return LinearOperands{t({3, 0}), t({128, 0}), t({128})}; }},
      {"no results", [](const New& t) { return LinearOperands{t({3, 64}), t({0, 64}), t({0})}; }},
  };
  return all;
}

}  // namespace kadvise::test

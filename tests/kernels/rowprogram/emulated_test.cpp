// Generated kernels on the CPU against float64: forms, programs, dtypes, and shapes that are ragged,
// misaligned, broadcast, strided, or hold NaN.
#include "tests/kernels/rowprogram/emulated_cases.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

#include <array>
#include <limits>

namespace kadvise::rowprogram {
namespace {

TEST(Emulated, rowsInEveryForm) {
  at::manual_seed(1);
  Cases cases;
  struct Shape {
    std::int64_t rows, columns;
    std::vector<const char*> schedules;
  };
  const Shape shapes[] = {
      {5, 128, {"lanes/t8/k4/b64", "lanes/t32/k1/b128", "block/t64/k1/b64", "block/t64/k1/b64/o16", ""}},
      {5, 131, {"lanes/t16/k3/b64", "block/t64/k1/b64"}},
      {3, 515, {"block/t96/k2/b96", "shared/t64/k3/b64", "generic"}},
      {2, 1024, {"shared/t64/k4/b64", "cluster/t64/k2/b64/p2", "cluster/t32/k2/b32/p4"}},
      {9, 64, {"lanes/t4/k4/b32/persistent", "block/t64/k1/b64/persistent", "block/t64/k1/b64/o24"}},
      {3, 1023, {"block/t160/k2/b160", "block/t128/k8/b128/v1", "lanes/t32/k32/b32/v1"}},
      {2, 1021, {"cluster/t32/k4/b32/p4"}},
      {7, 1024, {"cluster/t64/k2/b64/p2/persistent", "cluster/t32/k2/b32/p4/persistent"}},
      {3, 16384, {"cluster/t32/k64/b32/p2/persistent"}},  // too much for registers
  };
  for (const at::ScalarType t : kDtypes)
    for (const Shape& s : shapes) {
      const Tensor x = random({s.rows, s.columns}, t), r = random({s.rows, s.columns}, t),
                   w = random({s.columns}, t), b = random({s.columns}, t);
      std::size_t turn = t == at::kFloat ? 0 : t == at::kHalf ? 1 : 2;
      for (const char* schedule : s.schedules) {
        const std::string name = std::to_string(s.rows) + "x" + std::to_string(s.columns);
        cases.add("layer_norm " + name, kLayerNorm, t, {x, w, b}, schedule);
        if (turn++ % 2 == 0) cases.add("add_rms_norm " + name, kAddRmsNorm, t, {x, r, w}, schedule);
        else cases.add("softmax " + name, kSoftmax, t, {x}, schedule);
        if (turn % 3 == 0) cases.add("mean_var " + name, kMeanVar, t, {x}, schedule);
        if (turn % 3 == 1) cases.add("extremes " + name, kExtremes, t, {x}, schedule);
      }
    }
  check(cases);
}

TEST(Emulated, elementwise) {
  at::manual_seed(2);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    for (const char* schedule : {"flat/t64/k2/b64", "flat/t128/k1/b128", "generic"}) {
      cases.add("gelu", kGelu, t, {random({3, 520}, t)}, schedule);
      cases.add("gelu with a tail", kGelu, t, {random({3, 517}, t)}, schedule);
      cases.add("gelu, misaligned", kGelu, t, {random({1, 1041}, t).narrow(1, 1, 1040)}, schedule);
      cases.add("bias", kBiasGelu, t, {random({5, 136}, t), random({136}, t)}, schedule);
      cases.add("bias, ragged", kBiasGelu, t, {random({5, 131}, t), random({131}, t)}, schedule);
      cases.add("bias of rows shorter than a vector", kBiasGelu, t, {random({50, 3}, t), random({3}, t)},
                schedule);
      cases.add("misaligned bias, ragged", kBiasGelu, t,
                {random({5, 131}, t), random({132}, t).narrow(0, 1, 131)}, schedule);
      cases.add("a row's and a column's factor, ragged", kRowScale, t,
                {random({6, 67}, t), random({6, 1}, t), random({67}, t)}, schedule);
      const Tensor halves = random({6, 256}, t);
      cases.add("gated views", kGated, t, {halves.narrow(1, 0, 128), halves.narrow(1, 128, 128)}, schedule);
      cases.add("gated views, ragged", kGated, t, {halves.narrow(1, 0, 127), halves.narrow(1, 128, 127)},
                schedule);
      cases.add("a row's and a column's factor", kRowScale, t,
                {random({6, 64}, t), random({6, 1}, t), random({64}, t)}, schedule);
      cases.add("transposed", kGated, t, {random({64, 40}, t).t(), random({40, 64}, t)}, schedule);
    }
  }
  check(cases);
}

// A mean of its own beside one variance, none beside the other.
constexpr const char* kVariances = R"(rank 2
reduce 1
x = in T
m = mean x
v = var x
z = mul x x
u = var z
out m T drop
out v T drop
out u T drop
)";

// The same programs over dimension 1 of three.
std::string overTheMiddle(std::string text) {
  text.replace(text.find("rank 2"), 6, "rank 3");
  return text;
}

TEST(Emulated, columnsAndSplitRows) {
  at::manual_seed(3);
  Cases cases;
  for (const at::ScalarType t : kTwoWidths) {
    for (const char* schedule : {"columns/t8/k4/b64", "columns/t4/k2/b64", "columns/t8/k2/b64/p3",
                                 "columns/t4/k2/b64/p3", "columns/t4/k2/b32/generic"})
      for (const auto& [b, c, n] : {std::array<std::int64_t, 3>{2, 24, 64}, {3, 13, 35}}) {
        const Tensor x = random({b, c, n}, t), r = random({b, c, n}, t), w = random({c, 1}, t),
                     bias = random({c, 1}, t);
        const std::string name = std::to_string(c) + "x" + std::to_string(n);
        cases.add("layer_norm over columns " + name, overTheMiddle(kLayerNorm).c_str(), t, {x, w, bias},
                  schedule);
        cases.add("softmax over columns " + name, overTheMiddle(kSoftmax).c_str(), t, {x}, schedule);
        cases.add("extremes over columns " + name, overTheMiddle(kExtremes).c_str(), t, {x}, schedule);
        cases.add("variances over columns " + name, overTheMiddle(kVariances).c_str(), t, {x}, schedule);
      }
    for (const char* schedule : {"split/t64/k2/b64/p3", "split/t64/k1/b64/p7/generic"})
      for (const std::int64_t n : {2048, 1027}) {
        const Tensor x = random({2, n}, t), w = random({n}, t), b = random({n}, t), r = random({2, n}, t);
        cases.add("split layer_norm " + std::to_string(n), kLayerNorm, t, {x, w, b}, schedule);
        cases.add("split softmax " + std::to_string(n), kSoftmax, t, {x}, schedule);
        cases.add("split add_rms_norm " + std::to_string(n), kAddRmsNorm, t, {x, r, w}, schedule);
        cases.add("split extremes " + std::to_string(n), kExtremes, t, {x}, schedule);
      }
  }
  check(cases);
}

}  // namespace
}  // namespace kadvise::rowprogram

// Generated kernels on the CPU against float64: masks, gathers, whole numbers and bools, NaN and infinities.
#include "tests/kernels/rowprogram/emulated_cases.h"

#include <limits>

namespace kadvise::rowprogram {
namespace {

TEST(Emulated, masksGathersAndNumbers) {
  at::manual_seed(4);
  Cases cases;
  for (const at::ScalarType t : kTwoWidths) {
    for (const char* schedule : {"lanes/t16/k2/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2",
                                 "shared/t32/k1/b32", "generic", ""}) {
      for (const std::int64_t n : {72, 61}) {
        Tensor mask = at::rand({2, 1, 5, n}).gt(0.3);
        mask.select(3, 0).fill_(true);
        cases.add("masked softmax " + std::to_string(n), kMaskedSoftmax, t, {random({2, 3, 5, n}, t), mask},
                  schedule);
        cases.add("softmax with a key mask " + std::to_string(n), kMaskedSoftmax, t,
                  {random({2, 5, 3, n}, t).transpose(1, 2), mask.narrow(2, 0, 1)}, schedule);
      }
    }
    const Tensor words = random({50, 64}, t), places = random({12, 64}, t), w = random({64}, t);
    for (const char* schedule : {"lanes/t8/k2/b64", "block/t32/k1/b32", "shared/t32/k1/b32", ""})
      cases.add(
          "embedding sum and norm", kEmbedding, t,
          {words, places, at::randint(0, 50, {2, 6, 1}), at::arange(6, at::kLong).reshape({1, 6, 1}), w},
          schedule);
    for (const char* schedule : {"flat/t64/k2/b64", "generic"}) {
      cases.add("gather", kGather, t, {words, at::randint(0, 50, {9, 1}, at::kInt), random({9, 64}, t)},
                schedule);
      cases.add("gather, ragged", kGather, t,
                {random({50, 61}, t), at::randint(0, 50, {9, 1}, at::kInt), random({9, 61}, t)}, schedule);
      cases.add("picks", kPick, t,
                {random({9, 7}, t).unsqueeze(1), at::randint(0, 7, {9, 64}, at::kInt), random({9, 64}, t)},
                schedule);
      cases.add("picks of columns, ragged", kPick, t,
                {random({7, 61}, t).t(), at::randint(0, 7, {9, 61}, at::kInt), random({9, 1}, t)}, schedule);
      cases.add("picks by rows", kPick, t,
                {random({9, 64, 3}, t), at::randint(0, 3, {9, 1}, at::kInt), random({9, 64}, t)}, schedule);
      cases.add("permuted and broadcast", kManyDims, t,
                {random({3, 4, 5, 16}, t).permute({2, 0, 1, 3}), random({5, 1, 4, 1}, t)}, schedule);
      cases.add("every second", kManyDims, t,
                {random({3, 4, 5, 32}, t).slice(3, 0, 32, 2), random({1, 4, 1, 16}, t)}, schedule);
      for (const std::int64_t n : {96, 33})
        cases.add("whole numbers " + std::to_string(n), kNumbers, t,
                  {at::randint(-40, 40, {4, n}, at::kInt), at::rand({4, n}).gt(0.5),
                   at::randint(0, 200, {n}, at::kByte), random({4, 1}, t)},
                  schedule);
    }
  }
  for (const char* schedule : {"lanes/t8/k3/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2",
                               "shared/t32/k2/b32", "cluster/t32/k1/b32/p2"})
    for (const std::int64_t n : {96, 77}) {
      cases.add("two dimensions apart " + std::to_string(n), kApart, at::kFloat,
                {random({3, 5, n / 3}, at::kFloat)}, schedule);
      const Tensor places = at::randint(0, 11, {1, 5, n});
      cases.add("picks " + std::to_string(n), kRelative, at::kBFloat16,
                {random({4, 5, n}, at::kBFloat16), random({4, 5, 11}, at::kBFloat16).unsqueeze(2),
                 places.expand({4, 5, n}), random({4, n, 11}, at::kBFloat16).unsqueeze(1),
                 places.flip(2).to(at::kInt), at::scalar_tensor(0.25, at::kFloat)},
                schedule);
      cases.add("reductions of whole numbers " + std::to_string(n), kIntReductions, at::kFloat,
                {at::randint(-900, 900, {5, n}, at::kShort), at::rand({5, n}).gt(0.02)}, schedule);
    }
  check(cases);
}

Tensor extremeValues(at::ScalarType t) {
  const float inf = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN();
  const Tensor special =
      at::tensor({0.f,   -0.f,  1.f,    -1.f, 1e-39f, -1e-39f, 1e-30f, 3e4f,  -3e4f,  80.f,
                  -80.f, 110.f, -110.f, inf,  -inf,   nan,     0.5f,   1e-4f, -1e-4f, 20.5f});
  return at::cat({special, at::randn({108}), at::randn({64}).mul(20)}).to(t);
}

TEST(Emulated, valuesAtTheEdges) {
  at::manual_seed(5);
  Cases cases;
  for (const at::ScalarType t : kDtypes) {
    const Tensor x = extremeValues(t);
    cases.add("functions", kEveryFunction, t, {x}, "flat/t64/k1/b64");
    cases.add("more functions", kMoreFunctions, t, {x}, "flat/t64/k1/b64");
    Tensor rows = random({6, 96}, t);
    rows[1][40] = std::numeric_limits<float>::quiet_NaN();
    rows[2][95] = std::numeric_limits<float>::infinity();
    rows[3].fill_(-std::numeric_limits<float>::infinity());
    rows[4].fill_(2.f);
    for (const char* schedule :
         {"lanes/t8/k3/b64", "block/t64/k1/b64", "split/t64/k1/b64/p2", "cluster/t32/k1/b32/p2"}) {
      cases.add("extremes with NaN", kExtremes, t, {rows}, schedule);
      cases.add("softmax with NaN", kSoftmax, t, {rows}, schedule);
      cases.add("mean and variance with NaN", kMeanVar, t, {rows}, schedule);
    }
  }
  check(cases);
}

// Most terms are alike, so that each addition of a long chain would round the same way: 5e-7 off.
TEST(Emulated, longSumsAreAsExactAsPairwiseOnes) {
  at::manual_seed(6);
  Cases cases;
  const Tensor x = at::erf(at::randn({2, 16384})).clamp_min(0.5);
  for (const char* schedule : {"block/t256/k16/b256", "shared/t128/k32/b128", "cluster/t64/k32/b64/p2",
                               "split/t256/k2/b256/p3", "split/t64/k1/b64/p4"}) {
    cases.add("sums of 16384", kSums, at::kFloat, {x}, schedule);
    cases.all.back().relative = 2.5e-7;
  }
  check(cases);
}

// Of each result, half a unit in the last place (2^-8 and 2^-11 where its digits begin with 1), and little
// more.
TEST(Emulated, geluIsRoundedOnceWhereItIsSmallToo) {
  Cases cases;
  const auto upTo = [](double end, at::ScalarType t) { return at::linspace(-end, end, 40000).to(t); };
  cases.add("gelu", kGelu, at::kBFloat16, {upTo(6, at::kBFloat16)}, "flat/t128/k4/b128");
  cases.all.back().relative = 1.02 / 256;
  cases.add("gelu", kGelu, at::kHalf, {upTo(3.9, at::kHalf)}, "flat/t128/k4/b128");
  cases.all.back().relative = 1.03 / 2048;
  check(cases);
}

}  // namespace
}  // namespace kadvise::rowprogram

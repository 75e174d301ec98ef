// The kernels of prefix_scan on an emulated GPU, along rows and across them, against double precision.
#include "tests/kernels/emulated_cuda.h"
//
#include "kernels/prefix_scan/across.cuh"
#include "kernels/prefix_scan/along.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

constexpr int kFewMultiprocessors = 4;  // so that blocks take several rows, and parts of the steps

template <class T, int V, ScanKind kKind>
void runAlong(const PrefixScanArgs& a) {
  const int warps = warpsOfScanRow(a.length, V);
  const std::int64_t needed = warps == 1 ? (a.grid.count + 7) / 8 : a.grid.count;
  emulated::launch(static_cast<unsigned>(needed),
                   warps == 1 ? kAlongBlock : static_cast<unsigned>(32 * warps), 0,
                   [&] { scanAlong<T, V, kKind>(a, warps); });
}

template <class T, int V, ScanKind kKind>
void runAcross(const PrefixScanArgs& a) {
  AcrossPlan plan = acrossPlan<V>(a, kFewMultiprocessors);
  std::vector<float> totals(static_cast<std::size_t>(acrossScratchBytes<V>(plan)) / sizeof(float),
                            std::nanf(""));
  plan.totals = totals.data();
  const auto blocks = static_cast<unsigned>(plan.blocks);
  if (plan.parts.divisor > 1)
    emulated::launch(blocks, 32 * kAcrossWarps, 0, [&] { scanAcrossTotals<T, V, kKind>(a, plan); });
  emulated::launch(std::min(blocks, 3u), 32 * kAcrossWarps, 0, [&] { scanAcross<T, V, kKind>(a, plan); });
}

template <class T, int V>
void runKind(const PrefixScanArgs& a) {
  const auto run = [&]<ScanKind kKind>() {
    a.steps == 0 ? runAlong<T, V, kKind>(a) : runAcross<T, V, kKind>(a);
  };
  a.kind == ScanKind::Sum       ? run.template operator()<ScanKind::Sum>()
  : a.kind == ScanKind::Product ? run.template operator()<ScanKind::Product>()
                                : run.template operator()<ScanKind::LogSumExp>();
}

struct Shape {
  std::int64_t rows, steps, columns;  // scanned along the steps
  std::int64_t offset = 0;            // elements that x begins behind a multiple of 16 bytes
};

struct Form {
  ScanKind kind;
  bool exclusive, reverse, masked;
};

Tensor exactly(const Tensor& x, const Tensor& mask, const Form& form) {
  Tensor v = x.to(at::kDouble);
  if (form.masked) v = v * mask;
  if (form.reverse) v = v.flip(1);
  const bool isProduct = form.kind == ScanKind::Product, isSum = form.kind == ScanKind::Sum;
  v = isSum ? v.cumsum(1) : isProduct ? v.cumprod(1) : v.logcumsumexp(1);
  if (form.exclusive) {
    const double identity = isSum ? 0 : isProduct ? 1 : -std::numeric_limits<double>::infinity();
    v = at::cat({at::full_like(v.narrow(1, 0, 1), identity), v.narrow(1, 0, v.size(1) - 1)}, 1);
  }
  return (form.reverse ? v.flip(1) : v).contiguous();
}

template <class T>
void expectRight(const Shape& s, const Form& form, at::ScalarType dtype, std::int64_t maskOffset) {
  SCOPED_TRACE(testing::Message() << toString(dtype) << " " << s.rows << "x" << s.steps << "x" << s.columns
                                  << ", offset " << s.offset << ", kind " << static_cast<int>(form.kind)
                                  << (form.exclusive ? ", exclusive" : "")
                                  << (form.reverse ? ", backwards" : "") << (form.masked ? ", masked" : ""));
  const bool isProduct = form.kind == ScanKind::Product;
  const Tensor drawn = at::randn({s.rows, s.steps, s.columns});
  const Tensor x = (isProduct ? drawn * 0.01 + 1 : drawn).to(dtype).to(at::kFloat);
  const Tensor mask = at::randn_like(x) > (isProduct ? -9 : -0.5);
  Guarded<T> input(x.numel(), s.offset), output(x.numel(), 0);
  fill(input.data(), x);
  std::vector<uint4> flags(static_cast<std::size_t>(x.numel()) / 16 + 2);
  auto* const flag = reinterpret_cast<std::uint8_t*>(flags.data()) + maskOffset;
  for (std::int64_t i = 0; i < x.numel(); ++i) flag[i] = mask.const_data_ptr<bool>()[i];

  const bool along = s.columns == 1;
  const std::int64_t length = along ? s.steps : s.columns, stride = s.steps * s.columns;
  PrefixScanArgs a{};
  a.x = input.data();
  a.mask = form.masked ? reinterpret_cast<const bool*>(flag) : nullptr;
  a.result = output.data();
  a.grid = {s.rows, s.rows};
  a.xStride = a.maskStride = a.resultStride = {0, stride};
  a.length = length;
  a.steps = along ? 0 : s.steps;
  a.xStep = a.maskStep = a.resultStep = s.columns;
  a.kind = form.kind;
  a.exclusive = form.exclusive;
  a.reverse = form.reverse;
  constexpr int V = kLanes<T>;
  s.offset == 0 && length % V == 0 ? runKind<T, V>(a) : runKind<T, 1>(a);

  const Tensor exact = exactly(x, mask, form);
  double worst = 0;
  for (std::int64_t i = 0; i < exact.numel(); ++i) {
    const double wanted = exact.const_data_ptr<double>()[i], ours = toFloat(output.data()[i]);
    const double distance = ours == wanted ? 0 : std::abs(ours - wanted) / std::max(4.0, std::abs(wanted));
    worst = distance <= worst ? worst : distance;  // a NaN stays
  }
  EXPECT_LE(worst, dtype == at::kFloat ? 1e-5 : 5e-3);
  EXPECT_TRUE(output.isUntouchedAround());
}

// Rows of a warp, of some warps and of a block; steps of one block and of several, in one tile and more.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {3, 40, 1},   {21, 600, 1}, {5, 1100, 1}, {3, 2048, 1},  {3, 4104, 1}, {2, 9000, 1},    {19, 257, 1, 1},
      {2, 300, 16}, {3, 100, 72}, {1, 1200, 8}, {1, 2000, 24}, {2, 530, 5},  {1, 700, 33, 1},
  };
  return all;
}

TEST(PrefixScanThreads, along_and_across_rows_in_every_form) {
  at::manual_seed(3);
  std::mt19937 draw(5);
  const ScanKind kinds[] = {ScanKind::Sum, ScanKind::Sum, ScanKind::Product, ScanKind::LogSumExp};
  for (const Shape& s : shapes()) {
    for (int i = 0; i < 4; ++i) {
      const Form form{kinds[draw() % 4], draw() % 2 == 0, draw() % 2 == 0, i % 2 == 0};
      const std::int64_t maskOffset = draw() % 3 == 0 ? 1 : 0;
      i < 2 ? expectRight<float>(s, form, at::kFloat, maskOffset)
            : expectRight<__nv_bfloat16>(s, form, at::kBFloat16, maskOffset);
    }
  }
}

}  // namespace
}  // namespace kadvise::test

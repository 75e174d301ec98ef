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

template <class T, int V, ScanKind kKind, int kChunks, bool kPlain>
void runTiles(const PrefixScanArgs& a, int warps) {
  const auto rowsOfBlock = warps == 1 ? 3u : 1u, rows = static_cast<unsigned>(a.grid.count);
  emulated::launch((rows + rowsOfBlock - 1) / rowsOfBlock, 32 * static_cast<unsigned>(warps) * rowsOfBlock, 0,
                   [&] {
                     a.mask != nullptr ? scanAlong<T, V, kKind, kChunks, true, kPlain>(a, warps)
                                       : scanAlong<T, V, kKind, kChunks, false, kPlain>(a, warps);
                   });
}

template <class T, int V, ScanKind kKind>
void runAlong(const PrefixScanArgs& a) {
  const AlongPlan plan = alongPlan(a, V, kFewMultiprocessors);
  plan.chunks == kFewChunks ? runTiles<T, V, kKind, kFewChunks, true>(a, plan.warps)
  : isPlain(a, V)           ? runTiles<T, V, kKind, kAlongChunks, true>(a, plan.warps)
                            : runTiles<T, V, kKind, kAlongChunks, false>(a, plan.warps);
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
  std::int64_t gap = 0;               // steps that lie between rows
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
                                  << ", offset " << s.offset << ", gap " << s.gap << ", kind "
                                  << static_cast<int>(form.kind) << (form.exclusive ? ", exclusive" : "")
                                  << (form.reverse ? ", backwards" : "") << (form.masked ? ", masked" : ""));
  const bool isProduct = form.kind == ScanKind::Product;
  const Tensor drawn = at::randn({s.rows, s.steps + s.gap, s.columns});
  const Tensor all = (isProduct ? drawn * 0.01 + 1 : drawn).to(dtype).to(at::kFloat);
  const Tensor mask = at::randn_like(all) > (isProduct ? -9 : -0.5);
  Guarded<T> input(all.numel(), s.offset), output(all.numel(), 0);
  fill(input.data(), all);
  std::vector<uint4> flags(static_cast<std::size_t>(all.numel()) / 16 + 2);
  auto* const flag = reinterpret_cast<std::uint8_t*>(flags.data()) + maskOffset;
  for (std::int64_t i = 0; i < all.numel(); ++i) flag[i] = mask.const_data_ptr<bool>()[i];

  const bool along = s.columns == 1;
  const std::int64_t length = along ? s.steps : s.columns, stride = (s.steps + s.gap) * s.columns;
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
  const bool endsAligned = length % V == 0 || (along && !form.reverse);
  s.offset == 0 && stride % V == 0 && endsAligned ? runKind<T, V>(a) : runKind<T, 1>(a);

  const auto rows = [&](const Tensor& t) { return t.narrow(1, 0, s.steps); };
  const Tensor exact = exactly(rows(all), rows(mask), form);
  double worst = 0;
  const std::int64_t ofRow = s.steps * s.columns;
  for (std::int64_t i = 0; i < exact.numel(); ++i) {
    const double wanted = exact.const_data_ptr<double>()[i],
                 ours = toFloat(output.data()[i / ofRow * stride + i % ofRow]);
    const double distance = ours == wanted ? 0 : std::abs(ours - wanted) / std::max(4.0, std::abs(wanted));
    worst = distance <= worst ? worst : distance;  // a NaN stays
  }
  EXPECT_LE(worst, dtype == at::kFloat ? 1e-5 : 5e-3);
  for (std::int64_t i = 0; i < all.numel(); ++i)
    EXPECT_TRUE(i % stride < ofRow || std::isnan(toFloat(output.data()[i])));
  EXPECT_TRUE(output.isUntouchedAround());
}

// Rows of a warp, of some warps and of a block, few and many; rows that end within a chunk; steps of one
// block and of several, in one tile and more.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {3, 40, 1},         {21, 600, 1},      {40, 600, 1},    {5, 1100, 1},     {3, 2048, 1},
      {3, 4104, 1},       {2, 9000, 1},      {19, 257, 1, 1}, {3, 41, 1, 0, 7}, {3, 1103, 1, 0, 1},
      {2, 8301, 1, 0, 3}, {34, 99, 1, 0, 5}, {2, 300, 16},    {3, 100, 72},     {1, 1200, 8},
      {1, 2000, 24},      {2, 530, 5},       {1, 700, 33, 1},
  };
  return all;
}

TEST(PrefixScanThreads, along_and_across_rows_in_every_form) {
  at::manual_seed(3);
  std::mt19937 draw(5);
  const ScanKind kinds[] = {ScanKind::Sum, ScanKind::Sum, ScanKind::Product, ScanKind::LogSumExp};
  for (const Shape& s : shapes()) {
    for (int i = 0; i < 6; ++i) {
      const bool plain = i > 3;
      const Form form = plain ? Form{ScanKind::Sum, false, false, i % 2 == 0}
                              : Form{kinds[draw() % 4], draw() % 2 == 0, draw() % 2 == 0, i % 2 == 0};
      const std::int64_t maskOffset = draw() % 3 == 0 ? 1 : 0;
      i < 2 || i == 4 ? expectRight<float>(s, form, at::kFloat, maskOffset)
                      : expectRight<__nv_bfloat16>(s, form, at::kBFloat16, maskOffset);
    }
  }
}

}  // namespace
}  // namespace kadvise::test

// The kernels of group_norm on an emulated GPU: every schedule, and what blocks tell each other, against
// double precision.
#include "tests/kernels/emulated_cuda.h"
//
#include "kernels/group_norm/merge.cuh"
#include "kernels/group_norm/pixels.cuh"
#include "kernels/group_norm/staged_rows.cuh"
#include "kernels/group_norm/streamed_rows.cuh"
#include "kernels/group_norm/warp_rows.cuh"
#include "tests/kernels/guarded_memory.h"

#include <ATen/ATen.h>
#include <gtest/gtest.h>

namespace kadvise::test {
namespace {

using at::Tensor;

constexpr float kSlope = 0.25f;

enum class Shift { None, OfChannels, OfImages };

struct Shape {
  std::int64_t images, channels, groups, pixels;
  std::int64_t offset = 0;  // elements that x begins behind a multiple of 16 bytes
};

constexpr std::size_t floatsIn(std::int64_t bytes) {
  return static_cast<std::size_t>(bytes + 3) / sizeof(float);
}

// As op.cu does: blocks that hold their parts, together as clusters.
template <class Plan, class Kernel>
void runHeld(const GroupNormArgs& a, const Plan& p, std::size_t shared, Kernel kernel) {
  const auto parts = static_cast<unsigned>(p.parts.divisor);
  emulated::launch(
      static_cast<unsigned>(p.rows) * parts, static_cast<unsigned>(p.threads), shared, [&] { kernel(a, p); },
      parts);
}

// The same in two launches, with the merging launch between them.
template <class Plan, class Kernel>
void runTwice(const GroupNormArgs& a, const Plan& p, std::int64_t groups, std::size_t shared, Kernel first,
              Kernel second) {
  const auto parts = static_cast<unsigned>(p.parts.divisor), rows = static_cast<unsigned>(p.rows),
             sums = rows * static_cast<unsigned>(groups), threads = static_cast<unsigned>(p.threads);
  std::vector<Moments> all(parts * sums), merged(sums);
  const GroupNormScratch scratch{all.data(), static_cast<std::int32_t>(parts)};
  emulated::launch(rows * parts, threads, shared, [&] { first(a, p, scratch); });
  emulated::launch(sums, kGroupNormMergeBlock, 0, [&] { groupNormMerge(scratch, merged.data()); });
  // From the parts, or from what they have together.
  const GroupNormScratch together{merged.data(), 1};
  emulated::launch(rows * parts, threads, shared, [&] { second(a, p, parts % 2 == 0 ? scratch : together); });
}

template <class T, int V, bool kEdges>
void runRows(const GroupNormArgs& a, bool twice) {
  const GroupNormRows p = groupNormRows(a, V);
  if (twice) {
    return runTwice(a, groupNormStreamedRows(a, V), 1, 0, groupNormRowMoments<T, V, kEdges>,
                    groupNormRowResults<T, V, kEdges>);
  }
  ASSERT_LE(p.parts.divisor, kGroupNormWideCluster);
  if (!p.byWarp) return runHeld(a, p, floatsIn(stagedBytes(a, p, V)), groupNormStagedRows<T, V, kEdges>);
  const auto blocks = static_cast<unsigned>(ceilDiv(p.rows, kGroupNormWarpRows));
  emulated::launch(blocks, static_cast<unsigned>(p.threads), 0,
                   [&] { groupNormWarpRows<T, V, kEdges>(a, p); });
}

template <class T, int V>
void runPixels(const GroupNormArgs& a, bool twice) {
  GroupNormPixels p;
  if (!twice) {
    ASSERT_TRUE(makeHeldPixels(a, V, p));
    return runHeld(a, p, floatsIn(sharedBytesOf(p, V)), groupNormHeldPixels<T, V>);
  }
  ASSERT_TRUE(makeStreamedPixels(a, V, p));
  runTwice(a, p, p.groups, floatsIn(sharedBytesOf(p, V)), groupNormPixelMoments<T, V>,
           groupNormPixelResults<T, V>);
}

// As op.cu chooses.
template <class T>
void run(const GroupNormArgs& a, bool isAligned, bool twice) {
  constexpr int V = kLanes<T>;
  if (a.channelsLast) {
    return isAligned && a.channels % V == 0 ? runPixels<T, V>(a, twice) : runPixels<T, 1>(a, twice);
  }
  if (!isAligned) return runRows<T, 1, false>(a, twice);
  a.channels / a.groups* a.pixels % V == 0 ? runRows<T, V, false>(a, twice) : runRows<T, V, true>(a, twice);
}

constexpr Dtype dtypeOf(at::ScalarType type) {
  return type == at::kFloat ? Dtype::Float : type == at::kHalf ? Dtype::Half : Dtype::BFloat16;
}

template <class T>
void expectRight(const Shape& s, bool channelsLast, bool twice, at::ScalarType dtype, double mean = 3,
                 double bound = 1e-5, Shift shifts = Shift::None) {
  SCOPED_TRACE(testing::Message() << toString(dtype) << " " << s.images << "x" << s.channels << "x"
                                  << s.pixels << " in " << s.groups << " groups"
                                  << (channelsLast ? ", channels last" : "")
                                  << (twice ? ", two launches" : "") << ", offset " << s.offset);
  const Tensor x = (at::randn({s.images, s.channels, s.pixels}) + mean).to(dtype).to(at::kFloat);
  const Tensor weight = at::randn({s.channels}).to(dtype).to(at::kFloat),
               bias = at::randn({s.channels}).to(dtype).to(at::kFloat);
  const auto inMemory = [&](const Tensor& t) { return channelsLast ? t.transpose(1, 2) : t; };
  const std::int64_t shiftRows = shifts == Shift::OfImages ? s.images : 1;
  const Tensor shift = at::randn({shiftRows, s.channels}).to(dtype).to(at::kFloat) * (shifts != Shift::None);
  Guarded<T> input(x.numel(), s.offset), output(x.numel(), 0), w(s.channels, 0), b(s.channels, 0),
      added(shift.numel(), 0);
  fill(input.data(), inMemory(x));
  fill(w.data(), weight);
  fill(b.data(), bias);
  fill(added.data(), shift);
  const GroupNormArgs args{input.data(),
                           w.data(),
                           b.data(),
                           shifts == Shift::None ? nullptr : added.data(),
                           output.data(),
                           s.images,
                           s.channels,
                           s.groups,
                           s.pixels,
                           channelsLast,
                           shifts == Shift::OfChannels,
                           1e-5f,
                           dtypeOf(dtype),
                           Activation::LeakyRelu,
                           kSlope,
                           nullptr};
  run<T>(args, s.offset == 0, twice);

  const Tensor norm = at::group_norm(x.to(at::kDouble) + shift.to(at::kDouble).unsqueeze(2), s.groups,
                                     weight.to(at::kDouble), bias.to(at::kDouble), 1e-5);
  const Tensor exact = inMemory(at::leaky_relu(norm, kSlope)).contiguous();
  double worst = 0;
  for (std::int64_t i = 0; i < exact.numel(); ++i) {
    const double distance = std::abs(toFloat(output.data()[i]) - exact.const_data_ptr<double>()[i]);
    worst = distance <= worst ? worst : distance;  // a NaN stays
  }
  EXPECT_LE(worst, dtype == at::kFloat ? bound : dtype == at::kHalf ? 0.01 : 0.05);
  EXPECT_TRUE(output.isUntouchedAround());
}

// Rows of a warp, of a block, and of several blocks; by 16 bytes, with edges, and by elements.
const std::vector<Shape>& shapes() {
  static const std::vector<Shape> all = {
      {2, 6, 3, 35},    {1, 8, 8, 49},     {3, 16, 4, 64},   {2, 12, 2, 1},       {1, 40, 4, 700},
      {2, 8, 2, 5000},  {1, 10, 2, 3333},  {2, 8, 2, 4100},  {1, 64, 2, 1000},    {1, 4, 1, 9001},
      {2, 72, 3, 260},  {1, 130, 13, 100}, {2, 6, 3, 35, 1}, {1, 10, 2, 3333, 3}, {1, 8, 2, 4100, 1},
      {1, 96, 96, 300}, {1, 2048, 2, 33},  {1, 7, 7, 4000},
  };
  return all;
}

TEST(GroupNormThreads, every_schedule_in_both_layouts_as_clusters_and_in_two_launches) {
  at::manual_seed(7);
  bool isFloat = false;  // in turn: an emulated block takes its time
  for (const Shape& s : shapes()) {
    for (const bool channelsLast : {false, true}) {
      for (const bool twice : {false, true}) {
        isFloat ? expectRight<float>(s, channelsLast, twice, at::kFloat)
                : expectRight<__nv_bfloat16>(s, channelsLast, twice, at::kBFloat16);
        isFloat = !isFloat;
      }
    }
    isFloat = !isFloat;
  }
}

// What is added to each channel, of one image or of all, goes into the sums and into the result.
TEST(GroupNormThreads, every_schedule_with_a_shift_of_each_channel_that_lie_last) {
  at::manual_seed(17);
  bool isFloat = false;  // in turn: an emulated block takes its time
  for (const Shape& s : shapes()) {
    for (const bool twice : {false, true}) {
      const Shift shifts = twice == isFloat ? Shift::OfChannels : Shift::OfImages;
      isFloat ? expectRight<float>(s, /*channelsLast=*/true, twice, at::kFloat, 3, 1e-5, shifts)
              : expectRight<__half>(s, /*channelsLast=*/true, twice, at::kHalf, 3, 0, shifts);
      isFloat = !isFloat;
    }
    if (s.pixels % 2 == 0) isFloat = !isFloat;
  }
}

// Rows that more than eight blocks hold together.
TEST(GroupNormThreads, wide_clusters) {
  at::manual_seed(19);
  expectRight<float>({1, 4, 1, 47001}, /*channelsLast=*/false, /*twice=*/false, at::kFloat);
  expectRight<__nv_bfloat16>({1, 10, 1, 40000}, /*channelsLast=*/false, /*twice=*/false, at::kBFloat16);
  expectRight<float>({1, 16, 4, 15000}, /*channelsLast=*/true, /*twice=*/false, at::kFloat);
  expectRight<__half>({1, 32, 4, 14001}, /*channelsLast=*/true, /*twice=*/false, at::kHalf);
}

// What a mean that is rounded a few times costs, and no more: a float near 1000 is right to 3e-5.
TEST(GroupNormThreads, a_mean_far_from_zero_is_rounded_a_few_times) {
  at::manual_seed(11);
  for (const Shape& s : {Shape{1, 16, 2, 1056}, Shape{1, 40, 4, 700}, Shape{2, 8, 8, 49}}) {
    for (const bool channelsLast : {false, true}) {
      for (const bool twice : {false, true})
        expectRight<float>(s, channelsLast, twice, at::kFloat, /*mean=*/1000, /*bound=*/4e-4);
    }
  }
}

// All threads of an area of one colour round alike: a thread's sums of it may not round with its length.
TEST(GroupNormThreads, a_long_area_of_one_colour_is_rounded_a_few_times) {
  const auto chunkOf = [](float v) { return pack<float, 4>({v, v, v, v}); };
  constexpr float kAbout = 0.1f;
  for (const float colour : {0.7f, 0.3f, 0.123f}) {
    RowSums<float, 4, false> sums;
    sums.begin(chunkOf(kAbout), 0, 0);
    for (int i = 0; i < 1000; ++i) sums.add(chunkOf(colour), 0, 0);
    const double distance = static_cast<double>(colour) - kAbout;
    EXPECT_NEAR((sums.moments().mean - static_cast<double>(kAbout)) / distance, 1, 2e-6) << colour;
  }
}

// Shorter than a chunk: the zeros behind them must not be what distances are measured from.
TEST(GroupNormThreads, rows_of_a_few_elements_of_16_bits_far_from_zero) {
  at::manual_seed(13);
  for (const std::int64_t length : {2, 3, 5}) {
    expectRight<__half>({1, 64, 64, length}, /*channelsLast=*/false, /*twice=*/false, at::kHalf,
                        /*mean=*/100);
  }
}

}  // namespace
}  // namespace kadvise::test

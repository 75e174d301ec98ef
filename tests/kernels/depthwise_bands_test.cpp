// Depthwise convolutions on emulated tensor cores: every layout, stride and alignment against double
// precision, and values that a product of matrices has no right to spread.
#include "tests/kernels/emulated_cuda.h"
//
#include "tests/kernels/emulated_matrix.h"
//
#include "kernels/depthwise_conv/banded.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

struct Shape {
  std::int64_t images, channels, rows, columns;
  std::int32_t kernelRows, kernelColumns, stride, padRows = 0, padColumns = 0;
  std::int64_t offset = 0;                     // elements that x begins behind a multiple of 16 bytes
  std::int32_t moreRows = 0, moreColumns = 0;  // of zeros behind x than in front of it
};

Tensor convolution(const Shape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  const Tensor padded =
      at::constant_pad_nd(x, {s.padColumns, s.padColumns + s.moreColumns, s.padRows, s.padRows + s.moreRows});
  return at::conv2d(padded, weight, bias, s.stride, at::IntArrayRef{0}, 1, s.channels);
}

template <class T>
void run(const DepthwiseArgs& a, std::int64_t sms) {
  const int tiles = bandTiles(a);
  ASSERT_GT(tiles, 0);
  withBands(a, tiles, [&]<class Form, bool kChannelsLast>() {
    const BandPlan p = bandPlan<kChannelsLast>(a, tiles, sms, kBandShared).value();
    emulated::launch(static_cast<unsigned>(p.blocks), kBandPlanes<kChannelsLast> * 32,
                     static_cast<std::size_t>(p.memory.bytes) / sizeof(float), [&] {
                       if constexpr (kChannelsLast) depthwiseBandsOfChannels<T, Form>(a, p);
                       else depthwiseBandsOfColumns<T, Form>(a, p);
                     });
  });
}

// Of elements as they are in memory: the result of x, weight and bias, as [images, channels, rows, columns].
template <class T>
Tensor convolved(const Shape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, bool channelsLast,
                 std::int64_t sms) {
  const auto inMemory = [&](const Tensor& t) { return channelsLast ? t.permute({0, 2, 3, 1}) : t; };
  const Tensor sizes = convolution(s, x, weight, bias);
  Guarded<T> input(x.numel(), s.offset), output(sizes.numel(), s.offset), w(weight.numel(), 0),
      b(s.channels, 0);
  fill(input.data(), inMemory(x));
  fill(w.data(), weight);
  fill(b.data(), bias);
  DepthwiseArgs a{input.data(),
                  w.data(),
                  b.data(),
                  output.data(),
                  s.images,
                  s.channels,
                  s.rows,
                  s.columns,
                  sizes.size(2),
                  sizes.size(3),
                  s.kernelRows,
                  s.kernelColumns,
                  s.stride,
                  s.stride,
                  s.padRows,
                  s.padColumns,
                  1,
                  1,
                  {},
                  /*wideWeights=*/false,
                  channelsLast,
                  std::is_same_v<T, __half> ? Dtype::Half : Dtype::BFloat16,
                  kNoActivation};
  a.steps = denseSteps(a, a.rows, a.columns);
  run<T>(a, sms);
  EXPECT_TRUE(output.isUntouchedAround());
  Tensor result = at::empty_like(inMemory(sizes), at::MemoryFormat::Contiguous);
  for (std::int64_t i = 0; i < result.numel(); ++i)
    result.mutable_data_ptr<float>()[i] = toFloat(output.data()[i]);
  return channelsLast ? result.permute({0, 3, 1, 2}) : result;
}

template <class T>
void expectRight(const Shape& s, bool channelsLast, std::int64_t sms) {
  SCOPED_TRACE(testing::Message() << s.images << "x" << s.channels << "x" << s.rows << "x" << s.columns
                                  << " kernel " << s.kernelRows << "x" << s.kernelColumns << " stride "
                                  << s.stride << " pad " << s.padRows << " " << s.padColumns << " and "
                                  << s.moreRows << " " << s.moreColumns
                                  << (channelsLast ? ", channels last" : "") << ", offset " << s.offset
                                  << ", sms " << sms);
  const auto dtype = std::is_same_v<T, __half> ? at::kHalf : at::kBFloat16;
  const auto drawn = [&](at::IntArrayRef sizes) { return at::randn(sizes).to(dtype).to(at::kFloat); };
  const Tensor x = drawn({s.images, s.channels, s.rows, s.columns}),
               weight = drawn({s.channels, 1, s.kernelRows, s.kernelColumns}), bias = drawn({s.channels});
  const Tensor exact = convolution(s, x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble));
  const Tensor result = convolved<T>(s, x, weight, bias, channelsLast, sms).to(at::kDouble);
  const double ulp = std::is_same_v<T, __half> ? 1.0 / 1024 : 1.0 / 128;
  EXPECT_TRUE(at::allclose(result, exact, /*rtol=*/ulp, /*atol=*/ulp / 16))
      << "worst " << (result - exact).abs().max().item<double>();
}

TEST(DepthwiseBands, are_the_convolution_over_60_drawn_images) {
  at::manual_seed(5);
  std::mt19937 draw(5);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  const auto small = [&](std::vector<std::int64_t> from) {
    return static_cast<std::int32_t>(one(std::move(from)));
  };
  for (int i = 0; i < 60; ++i) {
    const bool channelsLast = i % 2 == 0;
    Shape s{one({1, 2}),
            channelsLast ? one({8, 16, 24}) : one({1, 3, 9}),
            one({1, 2, 13, 17, 30}),
            one({1, 2, 8, 13, 14, 20, 28, 56, 61}),
            small({1, 2, 3, 5, 7, 9}),
            small({1, 3, 4, 5, 7, 9}),
            channelsLast ? 1 : small({1, 2})};
    s.padRows = small({0, s.kernelRows / 2, s.kernelRows - 1});
    s.padColumns = small({0, s.kernelColumns / 2, s.kernelColumns - 1, 9});
    s.offset = channelsLast ? 0 : one({0, 0, 1, 2, 4});
    s.rows = std::max<std::int64_t>(s.rows + 1, s.kernelRows - 2 * s.padRows);
    s.columns = std::max<std::int64_t>(s.columns + 1, s.kernelColumns - 2 * s.padColumns);
    s.moreRows = small({0, 0, 1, 4});
    s.moreColumns = small({0, 0, 1, 9});
    const std::int64_t sms = one({1, 132});
    i % 3 == 0 ? expectRight<__half>(s, channelsLast, sms) : expectRight<__nv_bfloat16>(s, channelsLast, sms);
  }
}

TEST(DepthwiseBands, are_the_convolution_of_signals) {
  at::manual_seed(6);
  std::mt19937 draw(6);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (const std::int32_t taps : {1, 3, 4, 7, 10, 11, 31, 34}) {
    for (const std::int64_t length : {34, 64, 131, 380, 1032, 2000}) {
      Shape s{one({1, 2}), one({1, 3, 9}), 1, length, 1, taps, 1};
      s.padColumns = static_cast<std::int32_t>(one({0, taps / 2, taps - 1, 40}));
      s.offset = one({0, 0, 1, 2, 4});
      s.moreColumns = static_cast<std::int32_t>(one({0, 0, 1, 9}));
      taps % 2 == 0 ? expectRight<__half>(s, false, one({1, 132}))
                    : expectRight<__nv_bfloat16>(s, false, one({1, 132}));
    }
  }
}

TEST(DepthwiseBands, a_signal_with_rows_of_zeros_behind_it_is_none) {
  DepthwiseArgs a{};
  a.images = a.channels = a.rows = a.resultRows = a.kernelRows = a.strideRows = a.strideColumns = 1;
  a.dilationRows = a.dilationColumns = 1;
  a.columns = a.resultColumns = 64;
  a.kernelColumns = 3;
  a.padColumns = 1;
  a.dtype = Dtype::Half;
  EXPECT_GT(bandTiles(a), 0);
  a.resultRows = 3;
  EXPECT_EQ(bandTiles(a), 0);
}

// A zero of a band times an infinity is NaN.
TEST(DepthwiseBands, what_is_not_finite_reaches_the_results_that_see_it_and_no_other) {
  at::manual_seed(9);
  for (const bool channelsLast : {false, true}) {
    for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
      const Shape s{1, 8, 20, 20, 5, 3, 1, 2, 1};
      Tensor x = at::ones({1, 8, 20, 20}), weight = at::rand({8, 1, 5, 3}) + 1;
      x[0][3][10][11].fill_(value);
      x[0][4][19][19].fill_(value);
      weight[6].fill_(value);  // beside the image it is no factor
      const Tensor y = convolved<__half>(s, x, weight, at::zeros({8}), channelsLast, 132);
      const Tensor seen = channelsLast ? y.contiguous() : y;
      EXPECT_EQ(seen.isfinite().logical_not().sum().item<std::int64_t>(), 15 + 6 + 400) << value;
      EXPECT_EQ(seen.isnan().sum().item<std::int64_t>(), std::isnan(value) ? 15 + 6 + 400 : 0) << value;
      EXPECT_TRUE(seen[0][3].slice(0, 8, 13).slice(1, 10, 13).isfinite().logical_not().all().item<bool>());
    }
  }
}

TEST(DepthwiseBands, of_signals_spread_nothing_that_is_not_finite) {
  const Shape s{1, 2, 1, 300, 1, 31, 1, 0, 15};
  Tensor x = at::ones({1, 2, 1, 300});
  x[0][1][0][100].fill_(HUGE_VAL);
  const Tensor y = convolved<__half>(s, x, at::ones({2, 1, 1, 31}), at::zeros({2}), false, 132);
  EXPECT_EQ(y.isinf().sum().item<std::int64_t>(), 31);
  EXPECT_TRUE(y[0][1][0].slice(0, 85, 116).isinf().all().item<bool>());
  EXPECT_FALSE(y.isnan().any().item<bool>());
}

TEST(DepthwiseBands, there_are_none_for_floats_and_channels_that_are_not_aligned) {
  DepthwiseArgs a{};
  a.channels = 16;
  a.rows = a.columns = a.resultRows = a.resultColumns = 8;
  a.kernelRows = a.kernelColumns = 3;
  a.strideRows = a.strideColumns = 1;
  a.dtype = Dtype::Half;
  EXPECT_EQ(bandTiles(a), 2);
  const auto without = [&](auto change) {
    DepthwiseArgs b = a;
    change(b);
    return bandTiles(b) == 0;
  };
  EXPECT_TRUE(without([](auto& b) { b.dtype = Dtype::Float; }));
  EXPECT_TRUE(without([](auto& b) { b.rows = 1; }));  // of a kernel of three rows
  EXPECT_TRUE(without([](auto& b) { b.columns = 1; }));
  EXPECT_TRUE(without([](auto& b) { b.dilationRows = 2; }));
  EXPECT_TRUE(without([](auto& b) { b.kernelColumns = 10; }));
  EXPECT_FALSE(without([](auto& b) { b.rows = b.resultRows = b.kernelRows = 1, b.kernelColumns = 34; }));
  EXPECT_TRUE(without([](auto& b) { b.rows = b.resultRows = b.kernelRows = 1, b.kernelColumns = 35; }));
  EXPECT_TRUE(
      without([](auto& b) { b.rows = b.resultRows = b.kernelRows = b.padRows = 1, b.strideRows = 3; }));
  EXPECT_TRUE(without([](auto& b) { b.strideRows = b.strideColumns = 3; }));
  EXPECT_TRUE(without([](auto& b) { b.strideRows = 2; }));
  EXPECT_TRUE(without([](auto& b) { b.channelsLast = true, b.strideRows = b.strideColumns = 2; }));
  EXPECT_TRUE(without([](auto& b) { b.channelsLast = true, b.channels = 12; }));
  EXPECT_TRUE(without([](auto& b) { b.channelsLast = true, b.x = reinterpret_cast<void*>(8); }));
}

}  // namespace
}  // namespace kadvise::test

// Grouped convolutions on emulated tensor cores: widths, strides, alignments and plans against double
// precision, and values that a product of matrices has no right to spread.
#include "tests/kernels/emulated_cuda.h"
//
#include "tests/kernels/emulated_matrix.h"
//
#include "kernels/grouped_conv/form.h"
#include "kernels/grouped_conv/kernel.cuh"
#include "tests/kernels/guarded_memory.h"

#include <gtest/gtest.h>

#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;

struct Shape {
  std::int64_t images, groups, inputs, results, rows, columns;  // inputs and results of a group
  std::int32_t kernelRows, kernelColumns, stride = 1, pad = 0, dilation = 1;
  std::int64_t offset = 0;  // elements that x begins behind a multiple of 16 bytes
};

template <class T>
constexpr at::ScalarType kTypeOf = sizeof(T) == 4              ? at::kFloat
                                   : std::is_same_v<T, __half> ? at::kHalf
                                                               : at::kBFloat16;
template <class T>
constexpr Dtype kDtypeOf = sizeof(T) == 4              ? Dtype::Float
                           : std::is_same_v<T, __half> ? Dtype::Half
                                                       : Dtype::BFloat16;

Tensor exactResult(const Shape& s, const Tensor& x, const Tensor& weight, const Tensor& bias) {
  return at::conv2d(x.to(at::kDouble), weight.to(at::kDouble), bias.to(at::kDouble), s.stride, s.pad,
                    s.dilation, s.groups);
}

template <class T>
Tensor convolved(const Shape& s, const Tensor& x, const Tensor& weight, const Tensor& bias, int sms,
                 std::int64_t mostShared) {
  const auto inMemory = [](const Tensor& t) { return t.permute({0, 2, 3, 1}).contiguous(); };
  const Tensor sizes = exactResult(s, x, weight, bias);
  Guarded<T> input(x.numel(), s.offset), output(sizes.numel(), s.offset), w(weight.numel(), 0),
      b(bias.numel(), 0);
  fill(input.data(), inMemory(x));
  fill(w.data(), inMemory(weight));
  fill(b.data(), bias);
  GroupedConvArgs a{};
  a.x = input.data(), a.weight = w.data(), a.bias = b.data(), a.result = output.data();
  a.images = s.images, a.channels = x.size(1), a.results = weight.size(0), a.groups = s.groups;
  a.rows = s.rows, a.columns = s.columns, a.resultRows = sizes.size(2), a.resultColumns = sizes.size(3);
  a.kernelRows = s.kernelRows, a.kernelColumns = s.kernelColumns;
  a.strideRows = a.strideColumns = s.stride, a.padRows = a.padColumns = s.pad;
  a.dilationRows = a.dilationColumns = s.dilation;
  a.steps = {s.rows * s.columns * a.channels, s.columns * a.channels, a.channels};
  a.dtype = kDtypeOf<T>, a.activation = kNoActivation;
  const auto p = groupedPlan(a, sms, mostShared);
  if (!p) return {};
  withGroupedForm(a, *p, [&]<int kTaps, int kPixels, int kTiles>() {
    emulated::launch(static_cast<unsigned>(p->blocks), static_cast<unsigned>(p->warps) * 32,
                     static_cast<std::size_t>(sharedBytes(*p)) / sizeof(float),
                     [&] { groupedConv<T, kTaps, kPixels, kTiles>(a, *p); });
  });
  EXPECT_TRUE(output.isUntouchedAround());
  Tensor result = at::empty({s.images, a.resultRows, a.resultColumns, a.results});
  for (std::int64_t i = 0; i < result.numel(); ++i)
    result.mutable_data_ptr<float>()[i] = toFloat(output.data()[i]);
  return result.permute({0, 3, 1, 2});
}

constexpr std::int64_t kShared = 227 * 1024;

template <class T>
void expectRight(const Shape& s, int sms = 132, std::int64_t mostShared = kShared) {
  SCOPED_TRACE(testing::Message() << s.images << " images of " << s.groups << " groups of " << s.inputs
                                  << " to " << s.results << ", " << s.rows << "x" << s.columns << " kernel "
                                  << s.kernelRows << "x" << s.kernelColumns << " stride " << s.stride
                                  << " pad " << s.pad << " dilation " << s.dilation << ", offset " << s.offset
                                  << ", sms " << sms << ", " << sizeof(T) << " bytes");
  // Of few bits, so that TF32 rounds no factor.
  const auto drawn = [&](at::IntArrayRef sizes) {
    return at::randn(sizes).to(kTypeOf<T> == at::kFloat ? at::kHalf : kTypeOf<T>).to(at::kFloat);
  };
  const Tensor x = drawn({s.images, s.groups * s.inputs, s.rows, s.columns});
  const Tensor weight = drawn({s.groups * s.results, s.inputs, s.kernelRows, s.kernelColumns});
  const Tensor bias = drawn({s.groups * s.results});
  const Tensor result = convolved<T>(s, x, weight, bias, sms, mostShared);
  ASSERT_TRUE(result.defined());
  const Tensor exact = exactResult(s, x, weight, bias);
  const double ulp = sizeof(T) == 4 ? 1e-4 : std::is_same_v<T, __half> ? 1.0 / 1024 : 1.0 / 128;
  EXPECT_TRUE(at::allclose(result.to(at::kDouble), exact, /*rtol=*/ulp, /*atol=*/ulp / 4))
      << "worst " << (result - exact).abs().max().item<double>();
}

TEST(GroupedConv, is_the_convolution_of_the_widths_of_known_networks) {
  at::manual_seed(3);
  expectRight<__nv_bfloat16>({1, 32, 4, 4, 14, 14, 3, 3, 1, 1});  // ResNeXt
  expectRight<__nv_bfloat16>({1, 8, 8, 8, 15, 15, 3, 3, 2, 1});   // RegNetY-400MF
  expectRight<__nv_bfloat16>({1, 3, 24, 24, 14, 9, 3, 3, 1, 1});  // RegNetY-3.2GF
  expectRight<__half>({2, 6, 16, 16, 7, 7, 1, 1});                // EfficientViT
  expectRight<__half>({1, 2, 32, 64, 9, 11, 3, 3, 1, 1});         // ResNeSt
  expectRight<__nv_bfloat16>({1, 3, 80, 20, 5, 7, 1, 1});         // ShuffleNet
  expectRight<__nv_bfloat16>({1, 2, 192, 192, 1, 30, 1, 1});      // SqueezeBERT
  expectRight<__half>({1, 2, 68, 68, 4, 5, 3, 3, 1, 1});          // tiles over blocks, in odd parts
  expectRight<__nv_bfloat16>({1, 2, 80, 60, 4, 5, 3, 3, 1, 1}, 132, 99 * 1024);
  expectRight<float>({1, 2, 65, 65, 3, 4, 3, 3, 1, 1}, 132, 99 * 1024);
  expectRight<float>({1, 8, 4, 4, 9, 9, 3, 3, 1, 1});
  expectRight<float>({1, 2, 24, 24, 7, 7, 3, 3, 2, 1});
}

TEST(GroupedConv, is_the_convolution_over_60_drawn_cases) {
  at::manual_seed(5);
  std::mt19937 draw(5);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  const auto small = [&](std::vector<std::int64_t> from) {
    return static_cast<std::int32_t>(one(std::move(from)));
  };
  for (int i = 0; i < 60; ++i) {
    Shape s{one({1, 2}),
            one({2, 3, 5, 9}),
            one({1, 2, 3, 4, 5, 8, 12, 18, 40}),
            one({1, 2, 3, 4, 6, 8, 9, 16, 20, 33}),
            one({1, 2, 5, 9}),
            one({1, 3, 8, 19}),
            small({1, 2, 3, 3, 5}),
            small({1, 3, 3, 4}),
            small({1, 1, 2, 3}),
            small({0, 1, 2, 4}),
            small({1, 1, 1, 2, 3})};
    s.offset = one({0, 0, 1, 2, 4});
    s.rows = std::max<std::int64_t>(s.rows, s.dilation * (s.kernelRows - 1) + 1 - 2 * s.pad);
    s.columns = std::max<std::int64_t>(s.columns, s.dilation * (s.kernelColumns - 1) + 1 - 2 * s.pad);
    const int sms = small({1, 132});
    const std::int64_t shared = one({kShared, 99 * 1024});
    if (i % 3 == 0) expectRight<__half>(s, sms, shared);
    else if (i % 3 == 1) expectRight<__nv_bfloat16>(s, sms, shared);
    else expectRight<float>(s, sms, shared);
  }
}

// A zero between groups times an infinity is NaN, and so is one beside the image.
TEST(GroupedConv, what_is_not_finite_reaches_the_results_that_see_it_and_no_other) {
  at::manual_seed(9);
  for (const double value : {HUGE_VAL, -HUGE_VAL, std::nan("")}) {
    for (const std::int64_t width : {4, 3, 16}) {
      const Shape s{1, 4, width, width, 9, 9, 3, 3, 1, 1};
      Tensor x = at::ones({1, 4 * width, 9, 9}), weight = at::rand({4 * width, width, 3, 3}) + 1;
      x[0][0][4][4].fill_(value);
      weight[4 * width - 1].fill_(value);
      x = x.to(at::kHalf).to(at::kFloat), weight = weight.to(at::kHalf).to(at::kFloat);
      const Tensor bias = at::zeros({4 * width});
      const Tensor result = convolved<__half>(s, x, weight, bias, 132, kShared);
      const Tensor exact = exactResult(s, x, weight, bias);
      EXPECT_TRUE(at::equal(result.isfinite(), exact.isfinite())) << width << " " << value;
      // Of the last one's weights ATen has NaN beside the image, where we have no product.
      const auto others = [&](const Tensor& t) { return t.slice(1, 0, 4 * width - 1).isnan(); };
      EXPECT_TRUE(at::equal(others(result), others(exact))) << width << " " << value;
    }
  }
}

// Copies of a block begin and end at multiples of their size, in the last unit and part, too.
TEST(GroupedConv, copies_end_where_their_tensors_do_over_3000_drawn_sizes) {
  std::mt19937 draw(7);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  int served = 0;
  for (int i = 0; i < 3000; ++i) {
    GroupedConvArgs a{};
    a.images = one({1, 2, 64}), a.groups = one({1, 2, 3, 4, 13, 32}),
    a.dtype = one({0, 1}) ? Dtype::Float : Dtype::Half;
    a.channels = a.groups * (1 + draw() % 200), a.results = a.groups * (1 + draw() % 200);
    a.rows = a.resultRows = one({1, 7, 30}), a.columns = a.resultColumns = one({1, 9, 56});
    a.kernelRows = a.kernelColumns = static_cast<std::int32_t>(one({1, 3, 5}));
    a.strideRows = a.strideColumns = a.dilationRows = a.dilationColumns = 1;
    const std::int64_t step = a.channels + one({0, 0, 2, 8});
    a.steps = {a.rows * a.columns * step, a.columns * step, step};
    const std::int64_t shared = one({kShared, 99 * 1024});
    const auto p = groupedPlan(a, 132, shared);
    if (!p) continue;
    ++served;
    const std::int64_t size = bytesOf(a.dtype);
    ASSERT_LE(sharedBytes(*p), shared);
    ASSERT_EQ(p->resultBytes % size + p->imageBytes % size + p->weightBytes % size, 0);
    std::int64_t stored = 0;
    for (std::int32_t slice = 0; slice < p->slices; ++slice) {
      const GroupedPlace at = groupedPlace(*p, 0, static_cast<std::uint32_t>(slice));
      ASSERT_EQ(at.firstResult(*p) * size % p->resultBytes, 0) << i;
      ASSERT_EQ(resultsHere(a, *p, at) * size % p->resultBytes, 0) << i;
      ASSERT_EQ((a.channels - std::int64_t{at.unit} * p->inputs) * size % p->imageBytes, 0) << i;
      ASSERT_GT(resultsHere(a, *p, at), 0) << i;
      stored += resultsHere(a, *p, at);
    }
    ASSERT_EQ(stored, a.results) << i;
  }
  EXPECT_GT(served, 2000);
}

TEST(GroupedConv, groups_that_do_not_fit_are_not_served) {
  GroupedConvArgs a{};
  a.images = 1, a.channels = a.results = 8192, a.groups = 2, a.rows = a.columns = 9;
  a.resultRows = a.resultColumns = 7, a.kernelRows = a.kernelColumns = 3;
  a.strideRows = a.strideColumns = a.dilationRows = a.dilationColumns = 1;
  a.steps = {81 * 8192, 9 * 8192, 8192}, a.dtype = Dtype::BFloat16;
  EXPECT_FALSE(groupedPlan(a, 132, kShared));
  a.channels = a.results = 256;
  EXPECT_TRUE(groupedPlan(a, 132, kShared));
}

}  // namespace
}  // namespace kadvise::test

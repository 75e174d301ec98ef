// kadvise::depthwise_conv against the operators in a row, and against double precision.
#include "tests/kernels/on_device.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <random>

namespace kadvise::test {

// cuDNN computes float convolutions in TF32 unless told otherwise.
struct DepthwiseConv : OnDevice {
  void SetUp() override {
    OnDevice::SetUp();
    at::globalContext().setAllowTF32CuDNN(false);
  }
};
struct DepthwiseConvOnGpu : DepthwiseConv {};
INSTANTIATE_TEST_SUITE_P(Operators, DepthwiseConv, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, DepthwiseConvOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

using at::IntArrayRef;
using Name = std::optional<c10::string_view>;

struct Settings {
  std::vector<std::int64_t> stride = {1}, padding = {0}, dilation = {1};
};

Tensor depthwise(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s,
                 const Name& act = {}) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef,
                                              IntArrayRef, IntArrayRef, const Name&)>("depthwise_conv");
  return op.call(x, weight, bias, s.stride, s.padding, s.dilation, act);
}

Tensor inARow(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s, const Name& act) {
  const auto groups = x.size(1);
  if (const auto& p = s.padding; static_cast<std::int64_t>(p.size()) == 2 * (x.dim() - 2)) {
    const auto sides = x.dim() == 3 ? p : std::vector<std::int64_t>{p[1], p[3], p[0], p[2]};
    return inARow(at::constant_pad_nd(x, sides), weight, bias, {s.stride, {0}, s.dilation}, act);
  }
  const Tensor y = x.dim() == 3 ? at::conv1d(x, weight, bias, s.stride, s.padding, s.dilation, groups)
                                : at::conv2d(x, weight, bias, s.stride, s.padding, s.dilation, groups);
  if (!act) return y;
  return *act == "silu" ? at::silu(y) : *act == "relu6" ? at::hardtanh(y, 0, 6) : at::gelu(y);
}

void expectNear(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s,
                const Name& act = {}) {
  const auto doubled = [](const Tensor& t) { return t.to(at::kDouble); };
  expectAsAccurate(depthwise(x, weight, bias, s, act), inARow(x, weight, bias, s, act),
                   inARow(doubled(x), doubled(weight), wide(bias), s, act), kOtherAlgorithm);
}

// A signal whose channels lie together is a transposed one.
Tensor channelsLast(const Tensor& x) {
  if (x.dim() == 4) return x.contiguous(at::MemoryFormat::ChannelsLast);
  return x.transpose(1, 2).contiguous().transpose(1, 2);
}

TEST_P(DepthwiseConv, is_as_accurate_as_the_operators_in_a_row_over_240_drawn_cases) {
  std::mt19937 draw(11);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 240; ++i) {
    const auto dtype = kDtypes[i % 3];
    const bool isSignal = i % 4 == 3;
    const std::int64_t size = one(isSignal ? std::vector<std::int64_t>{3, 4, 5, 6, 7, 2, 31, 65}
                                           : std::vector<std::int64_t>{3, 5, 7, 3, 4, 9, 1, 13});
    const std::int64_t across = isSignal ? size : one({size, size, 1, 3, 11});
    const std::int64_t channels = one({1, 3, 8, 12, 32, 66, 72, 130}), batch = one({1, 2, 3});
    const std::int64_t height = size + one({0, 1, 4, 9, 30}), width = across + one({0, 1, 3, 7, 8, 21, 57});
    Settings s{{one({1, 1, 2, 3})}, {one({0, 1, size / 2})}, {one({1, 1, 1, 2, 3})}};
    if (one({0, 0, 1}) == 1) {  // sides that differ
      s.padding.resize(isSignal ? 2 : 4);
      for (auto& side : s.padding) side = one({0, 1, size / 2, size - 1});
    }
    if (s.dilation[0] * (std::max(size, across) - 1) + 1 > std::min(height, width)) continue;
    const auto sizes = isSignal ? std::vector<std::int64_t>{batch, channels, width}
                                : std::vector<std::int64_t>{batch, channels, height, width};
    const auto kernel = isSignal ? std::vector<std::int64_t>{channels, 1, size}
                                 : std::vector<std::int64_t>{channels, 1, size, across};
    Tensor x = random(sizes, dtype);
    if (one({0, 1}) == 1) x = channelsLast(x);
    const Maybe bias = one({0, 1}) == 1 ? Maybe(random({channels}, dtype)) : Maybe();
    const Name acts[] = {{}, "silu", "relu6", "gelu"};
    SCOPED_TRACE(testing::Message() << "case " << i << " " << toString(dtype) << " " << x.sizes() << " "
                                    << x.strides() << " kernel " << size << "x" << across << " stride "
                                    << s.stride << " pad " << s.padding << " dilation " << s.dilation);
    expectNear(x, random(kernel, dtype, 0, 0.3), bias, s, acts[draw() % 4]);
  }
}

TEST_P(DepthwiseConv, of_16_bits_takes_weights_of_32) {
  for (const auto dtype : {at::kHalf, at::kBFloat16})
    for (const std::int64_t size : {3, 5, 7, 4})  // there is no kernel of four
      for (const std::int64_t stride : {1, 2})
        for (const bool last : {false, true}) {
          Tensor x = random({2, 24, 19, 22}, dtype);
          if (last) x = channelsLast(x);
          const Tensor weight = random({24, 1, size, size}, at::kFloat, 0, 0.3),
                       bias = random({24}, at::kFloat);
          const Settings s{{stride}, {size / 2, 0, size / 2, 1}, {1}};
          SCOPED_TRACE(testing::Message() << toString(dtype) << " " << size << " " << stride << " " << last);
          const auto in = [&](at::ScalarType t) {
            return inARow(x.to(t), weight.to(t), bias.to(t), s, "relu6");
          };
          const Tensor ours = depthwise(x, weight, bias, s, "relu6");
          EXPECT_EQ(ours.scalar_type(), dtype);
          EXPECT_EQ(ours.stride(1) == 1, last);
          expectAsAccurate(ours, in(at::kFloat).to(dtype), in(at::kDouble), kOtherAlgorithm);
          const Tensor meta = depthwise(onMeta(x), onMeta(weight), onMeta(bias), s, "relu6");
          EXPECT_EQ(meta.strides(), ours.strides());
          EXPECT_EQ(meta.scalar_type(), dtype);
        }
}

TEST_P(DepthwiseConv, takes_views_and_misaligned_memory) {
  for (const auto dtype : kDtypes) {
    const Tensor weight = random({16, 1, 3, 3}, dtype, 0, 0.3), bias = random({16}, dtype);
    const Tensor base = random({2, 16, 12, 13}, dtype);
    const Tensor flat = random({2 * 16 * 8 * 8 + 1}, dtype).slice(0, 1);
    const Tensor views[] = {base.slice(3, 1, 10),
                            base.transpose(2, 3),
                            channelsLast(base).slice(1, 0, 16),
                            random({2, 40, 9, 9}, dtype).slice(1, 3, 19),
                            channelsLast(random({2, 40, 9, 9}, dtype)).slice(1, 3, 19),
                            flat.view({2, 16, 8, 8}),
                            flat.view({2, 8, 8, 16}).permute({0, 3, 1, 2})};
    for (const Tensor& x : views) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      expectNear(x, weight, bias, {{1}, {1}, {1}}, "silu");
      expectNear(x, random({16, 1, 1, 5}, dtype, 0, 0.3), bias, {{1}, {0, 2}, {1}});
      expectNear(x, random({16, 1, 7, 7}, dtype, 0, 0.1), bias, {{1}, {3}, {1}}, "gelu");
      expectNear(x, weight, bias, {{1}, {2}, {2}});
      expectNear(x, random({16, 2, 3, 3}, dtype, 0, 0.3).slice(1, 0, 1), bias.slice(0, 0, 16),
                 {{2}, {1}, {1}});
    }
  }
}

TEST_P(DepthwiseConv, lies_in_memory_as_x_does_on_meta_tensors_too) {
  const Settings settings[] = {{{1}, {3}, {1}}, {{2}, {1}, {1}}, {{1}, {0}, {2}}};
  const Tensor image = random({2, 8, 15, 17}, at::kFloat), signal = random({2, 8, 17}, at::kFloat);
  for (const Tensor& x : {image, channelsLast(image), signal, channelsLast(signal), image.slice(0, 0, 0)}) {
    for (const Settings& s : settings) {
      const Tensor weight =
          random(x.dim() == 3 ? std::vector<std::int64_t>{8, 1, 7} : std::vector<std::int64_t>{8, 1, 7, 7},
                 at::kFloat);
      const Tensor real = depthwise(x, weight, {}, s, "silu"),
                   meta = depthwise(onMeta(x), onMeta(weight), {}, s, "silu");
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides()) << x.sizes() << x.strides();
      if (x.numel() > 0) EXPECT_EQ(real.stride(1) == 1, x.stride(1) == 1);
    }
  }
}

TEST_P(DepthwiseConv, a_nan_reaches_the_outputs_that_see_it_and_no_other) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto dtype : kDtypes) {
    for (const bool last : {false, true}) {
      Tensor x = random({2, 8, 20, 20}, dtype);
      x[1][3][10][11].fill_(nan);
      if (last) x = channelsLast(x);
      const Tensor y = depthwise(x, random({8, 1, 5, 5}, dtype), {}, {{1}, {2}, {1}}, "relu");
      EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 25);
      EXPECT_TRUE(y.isnan()[1][3].slice(0, 8, 13).slice(1, 9, 14).all().item<bool>());
    }
  }
}

TEST_P(DepthwiseConv, of_other_dtypes_and_with_gradients_is_done_by_torch) {
  const Tensor x = random({2, 4, 6, 6}, at::kDouble), weight = random({4, 1, 3, 3}, at::kDouble);
  EXPECT_TRUE(at::equal(depthwise(x, weight, {}, {}), inARow(x, weight, {}, {}, {})));
  std::vector<Tensor> inputs = {random({2, 4, 6, 6}, at::kFloat), random({4, 1, 3, 3}, at::kFloat),
                                random({4}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const auto ours =
      torch::autograd::grad({depthwise(inputs[0], inputs[1], inputs[2], {}, "silu").sum()}, inputs);
  const auto theirs =
      torch::autograd::grad({inARow(inputs[0], inputs[1], inputs[2], {}, "silu").sum()}, inputs);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
}

TEST_P(DepthwiseConv, refuses_what_is_no_depthwise_convolution) {
  const Tensor x = random({2, 8, 9, 9}, at::kFloat), many = random({8, 2, 3, 3}, at::kFloat);
  for (const Tensor& weight : {many, random({4, 1, 3, 3}, at::kFloat), random({8, 1, 3}, at::kFloat)}) {
    const std::string ours = outcomeOf([&] { depthwise(x, weight, {}, {}); });
    EXPECT_NE(ours.find("one kernel for each of their channels"), std::string::npos) << ours;
    EXPECT_EQ(outcomeOf([&] { depthwise(onMeta(x), onMeta(weight), {}, {}); }), ours);
  }
  EXPECT_NE(outcomeOf([&] { depthwise(x, random({8, 1, 3, 3}, at::kFloat), {}, {}, "swish2"); }), "no error");
  const Tensor small = random({8, 1, 3, 3}, at::kFloat);
  const std::vector<std::int64_t> paddings[] = {{1, 1, 1}, {0, 1, 0, -1}, {1, 1, 1, 1, 1, 1}};
  for (const auto& padding : paddings) {
    EXPECT_NE(outcomeOf([&] { depthwise(x, small, {}, {{1}, padding, {1}}); }), "no error");
    EXPECT_NE(outcomeOf([&] { depthwise(onMeta(x), onMeta(small), {}, {{1}, padding, {1}}); }), "no error");
  }
  for (const std::int64_t stride : {1, 3, 20}) {
    const Tensor large = random({8, 1, 11, 11}, at::kFloat);
    const Settings s{{stride}, {0}, {1}};
    EXPECT_NE(outcomeOf([&] { depthwise(x, large, {}, s); }), "no error");
    EXPECT_NE(outcomeOf([&] { depthwise(onMeta(x), onMeta(large), {}, s); }), "no error");
  }
}

TEST_P(DepthwiseConvOnGpu, more_than_2_31_elements) {
  try {
    for (const bool last : {false, true}) {
      const Tensor flat = at::randn({(std::int64_t{1} << 20) + 2, 8, 16, 17}, of(at::kBFloat16));
      const Tensor x = last ? flat.view({-1, 16, 17, 8}).permute({0, 3, 1, 2}) : flat;
      const Tensor weight = random({8, 1, 3, 3}, at::kBFloat16, 0, 0.3);
      const Tensor y = depthwise(x, weight, {}, {{1}, {1}, {1}});
      for (const std::int64_t image : {std::int64_t{0}, x.size(0) / 2 + 5, x.size(0) - 2}) {
        const Tensor part = x.slice(0, image, image + 2).clone();
        EXPECT_LE((y.slice(0, image, image + 2) - inARow(part, weight, {}, {{1}, {1}, {1}}, {}))
                      .abs()
                      .max()
                      .item<double>(),
                  0.1);
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

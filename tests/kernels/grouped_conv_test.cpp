// kadvise::grouped_conv against the operators in a row, and against double precision.
#include "tests/kernels/on_device.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <random>

namespace kadvise::test {

struct GroupedConv : OnDevice {
  void SetUp() override {
    OnDevice::SetUp();
    at::globalContext().setAllowTF32CuDNN(true);
  }

  // Of few bits, which TF32 does not round: cuDNN uses it for some widths only.
  Tensor drawn(at::IntArrayRef sizes, at::ScalarType dtype, double scale = 1) const {
    return random(sizes, dtype == at::kFloat ? at::kHalf : dtype, 0, scale).to(dtype);
  }
};
struct GroupedConvOnGpu : GroupedConv {};
INSTANTIATE_TEST_SUITE_P(Operators, GroupedConv, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, GroupedConvOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

using at::IntArrayRef;
using Name = std::optional<c10::string_view>;

// Their sums of floats drop bits where an FMA rounds, and cuDNN does not use them for every width.
constexpr Allowed kTensorCores{4, 8, 4, 32};

struct Settings {
  std::vector<std::int64_t> stride = {1}, padding = {0}, dilation = {1};
};

Tensor grouped(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s,
               std::int64_t groups, const Name& act = {}) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef, IntArrayRef, IntArrayRef,
                           std::int64_t, const Name&)>("grouped_conv");
  return op.call(x, weight, bias, s.stride, s.padding, s.dilation, groups, act);
}

Tensor inARow(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s,
              std::int64_t groups, const Name& act) {
  const Tensor y = x.dim() == 3 ? at::conv1d(x, weight, bias, s.stride, s.padding, s.dilation, groups)
                                : at::conv2d(x, weight, bias, s.stride, s.padding, s.dilation, groups);
  if (!act) return y;
  return *act == "silu" ? at::silu(y) : *act == "relu" ? at::relu(y) : at::gelu(y);
}

void expectNear(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s,
                std::int64_t groups, const Name& act = {}) {
  const auto doubled = [](const Tensor& t) { return t.to(at::kDouble); };
  expectAsAccurate(grouped(x, weight, bias, s, groups, act), inARow(x, weight, bias, s, groups, act),
                   inARow(doubled(x), doubled(weight), wide(bias), s, groups, act), kTensorCores);
}

// A signal whose channels lie together is a transposed one.
Tensor channelsLast(const Tensor& x) {
  if (x.dim() == 4) return x.contiguous(at::MemoryFormat::ChannelsLast);
  return x.transpose(1, 2).contiguous().transpose(1, 2);
}

TEST_P(GroupedConv, is_as_accurate_as_the_operators_in_a_row_over_240_drawn_cases) {
  std::mt19937 draw(11);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 240; ++i) {
    const auto dtype = kDtypes[i % 3];
    const bool isSignal = i % 5 == 4;
    const std::int64_t groups = one({2, 3, 8, 13, 32}), inputs = one({1, 2, 3, 4, 8, 16, 24, 40, 65});
    const std::int64_t results = one({1, 2, 4, 7, 8, 16, 24, 48}), batch = one({1, 2, 3});
    const std::int64_t size = one({1, 3, 3, 5}), across = one({size, size, 1, 4});
    const std::int64_t height = size + one({0, 1, 4, 9, 30}), width = across + one({0, 1, 3, 7, 8, 21, 57});
    const Settings s{{one({1, 1, 2, 3})}, {one({0, 1, size / 2})}, {one({1, 1, 1, 2})}};
    if (s.dilation[0] * (std::max(size, across) - 1) + 1 > std::min(height, width)) continue;
    const auto sizes = isSignal ? std::vector<std::int64_t>{batch, groups * inputs, width}
                                : std::vector<std::int64_t>{batch, groups * inputs, height, width};
    const auto kernel = isSignal ? std::vector<std::int64_t>{groups * results, inputs, across}
                                 : std::vector<std::int64_t>{groups * results, inputs, size, across};
    Tensor x = drawn(sizes, dtype);
    if (one({0, 1, 1}) == 1) x = channelsLast(x);
    const Maybe bias = one({0, 1}) == 1 ? Maybe(drawn({groups * results}, dtype)) : Maybe();
    const Name acts[] = {{}, "silu", "relu", "gelu"};
    SCOPED_TRACE(testing::Message() << "case " << i << " " << toString(dtype) << " " << x.sizes() << " "
                                    << x.strides() << " weight " << kernel << " stride " << s.stride
                                    << " pad " << s.padding << " dilation " << s.dilation);
    expectNear(x, drawn(kernel, dtype, 0.3), bias, s, groups, acts[draw() % 4]);
  }
}

TEST_P(GroupedConv, takes_views_and_misaligned_memory) {
  for (const auto dtype : kDtypes) {
    const Tensor weight = drawn({24, 4, 3, 3}, dtype, 0.3), bias = drawn({24}, dtype);
    const Tensor base = drawn({2, 16, 12, 13}, dtype), wide = drawn({2, 40, 9, 9}, dtype);
    const Tensor flat = drawn({2 * 16 * 8 * 8 + 1}, dtype).slice(0, 1);
    const Tensor views[] = {base.slice(3, 1, 10),
                            base.transpose(2, 3),
                            channelsLast(base).slice(2, 1, 9),
                            wide.slice(1, 3, 19),
                            channelsLast(wide).slice(1, 3, 19),
                            channelsLast(wide).slice(1, 8, 24),
                            channelsLast(base).slice(0, 1, 2),
                            flat.view({2, 16, 8, 8}),
                            flat.view({2, 8, 8, 16}).permute({0, 3, 1, 2})};
    for (const Tensor& x : views) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      expectNear(x, weight, bias, {{1}, {1}, {1}}, 4, "silu");
      expectNear(x, channelsLast(weight), bias, {{2}, {1}, {1}}, 4);
      expectNear(x, weight.slice(2, 0, 1).slice(3, 1, 2), bias, {{1}, {0}, {1}}, 4, "relu");
      expectNear(x, drawn({24, 8, 3, 3}, dtype, 0.3).slice(1, 0, 4), bias, {{1}, {2}, {2}}, 4);
    }
  }
}

TEST_P(GroupedConv, lies_in_memory_as_x_does_on_meta_tensors_too) {
  const Settings settings[] = {{{1}, {1}, {1}}, {{2}, {1}, {1}}, {{1}, {0}, {2}}};
  const Tensor image = drawn({2, 8, 15, 17}, at::kHalf), signal = drawn({2, 8, 17}, at::kHalf);
  for (const Tensor& x : {image, channelsLast(image), signal, channelsLast(signal)}) {
    for (const Settings& s : settings) {
      const Tensor weight =
          drawn(x.dim() == 3 ? std::vector<std::int64_t>{12, 2, 3} : std::vector<std::int64_t>{12, 2, 3, 3},
                at::kHalf);
      const Tensor real = grouped(x, weight, {}, s, 4, "silu"),
                   meta = grouped(onMeta(x), onMeta(weight), {}, s, 4, "silu");
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides()) << x.sizes() << x.strides();
      EXPECT_EQ(real.stride(1) == 1, x.stride(1) == 1);
    }
  }
}

TEST_P(GroupedConv, a_nan_reaches_the_outputs_that_see_it_and_no_other) {
  for (const auto dtype : kDtypes) {
    for (const double value : {std::nan(""), HUGE_VAL}) {
      for (const std::int64_t width : {4, 16}) {
        Tensor x = drawn({2, 4 * width, 20, 20}, dtype);
        x[1][width][10][11].fill_(value);
        const Tensor weight = drawn({4 * width, width, 3, 3}, dtype).abs() + 1;
        const Tensor y = grouped(channelsLast(x), weight, {}, {{1}, {1}, {1}}, 4, "relu");
        EXPECT_EQ(y.isfinite().logical_not().sum().item<std::int64_t>(), 9 * width);
        EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), std::isnan(value) ? 9 * width : 0);
        const Tensor seen = y[1].slice(0, width, 2 * width).slice(1, 9, 12).slice(2, 10, 13);
        EXPECT_TRUE(seen.isfinite().logical_not().all().item<bool>());
      }
    }
  }
}

TEST_P(GroupedConv, of_other_dtypes_and_with_gradients_is_done_by_torch) {
  const Tensor x = random({2, 4, 6, 6}, at::kDouble), weight = random({4, 2, 3, 3}, at::kDouble);
  EXPECT_TRUE(at::equal(grouped(x, weight, {}, {}, 2), inARow(x, weight, {}, {}, 2, {})));
  std::vector<Tensor> inputs = {random({2, 4, 6, 6}, at::kFloat), random({4, 2, 3, 3}, at::kFloat),
                                random({4}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const auto ours =
      torch::autograd::grad({grouped(inputs[0], inputs[1], inputs[2], {}, 2, "silu").sum()}, inputs);
  const auto theirs =
      torch::autograd::grad({inARow(inputs[0], inputs[1], inputs[2], {}, 2, "silu").sum()}, inputs);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-2, 1e-2));
}

TEST_P(GroupedConv, refuses_what_is_no_grouped_convolution) {
  const Tensor x = random({2, 8, 9, 9}, at::kFloat);
  for (const Tensor& weight :
       {random({8, 3, 3, 3}, at::kFloat), random({7, 4, 3, 3}, at::kFloat), random({8, 4, 3}, at::kFloat)}) {
    const std::string ours = outcomeOf([&] { grouped(x, weight, {}, {}, 2); });
    EXPECT_NE(ours.find("groups of their channels"), std::string::npos) << ours;
    EXPECT_EQ(outcomeOf([&] { grouped(onMeta(x), onMeta(weight), {}, {}, 2); }), ours);
  }
  const Tensor weight = random({8, 4, 3, 3}, at::kFloat), large = random({8, 4, 11, 11}, at::kFloat);
  EXPECT_NE(outcomeOf([&] { grouped(x, weight, {}, {}, 2, "swish2"); }), "no error");
  EXPECT_NE(outcomeOf([&] { grouped(x, large, {}, {}, 2); }), "no error");
  EXPECT_NE(outcomeOf([&] { grouped(onMeta(x), onMeta(large), {}, {}, 2); }), "no error");
}

TEST_P(GroupedConvOnGpu, floats_are_not_rounded_to_tf32_where_that_is_not_allowed) {
  at::globalContext().setAllowTF32CuDNN(false);
  const Tensor x = channelsLast(random({2, 16, 9, 9}, at::kFloat)),
               weight = random({16, 4, 3, 3}, at::kFloat);
  const Tensor exact = inARow(x.to(at::kDouble), weight.to(at::kDouble), {}, {}, 4, {});
  EXPECT_LT((grouped(x, weight, {}, {}, 4).to(at::kDouble) - exact).abs().max().item<double>(), 1e-4);
}

TEST_P(GroupedConvOnGpu, more_than_2_31_elements) {
  try {
    const Tensor x =
        at::randn({(std::int64_t{1} << 20) + 2, 16, 17, 8}, of(at::kBFloat16)).permute({0, 3, 1, 2});
    const Tensor weight = drawn({8, 4, 3, 3}, at::kBFloat16, 0.3);
    const Settings s{{1}, {1}, {1}};
    const Tensor y = grouped(x, weight, {}, s, 2);
    for (const std::int64_t image : {std::int64_t{0}, x.size(0) / 2 + 5, x.size(0) - 2}) {
      const Tensor part = x.slice(0, image, image + 2).clone();
      EXPECT_LE(
          (y.slice(0, image, image + 2) - inARow(part, weight, {}, s, 2, {})).abs().max().item<double>(),
          0.1);
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

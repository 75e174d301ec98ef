// kadvise::conv2d_relu and conv2d_add_relu against the operators in a row, and against double precision.
#include "tests/kernels/on_device.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace kadvise::test {

// cuDNN computes float convolutions in TF32 unless told otherwise, with either spelling.
struct Conv2dRelu : OnDevice {
  void SetUp() override {
    OnDevice::SetUp();
    at::globalContext().setAllowTF32CuDNN(false);
  }
};
INSTANTIATE_TEST_SUITE_P(Operators, Conv2dRelu, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

using at::IntArrayRef;

struct Settings {
  std::vector<std::int64_t> stride = {1, 1}, padding = {0, 0}, dilation = {1, 1};
  std::int64_t groups = 1;
};

Tensor convRelu(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef,
                                              IntArrayRef, IntArrayRef, std::int64_t)>("conv2d_relu");
  return op.call(x, weight, bias, s.stride, s.padding, s.dilation, s.groups);
}

Tensor convAddRelu(const Tensor& x, const Tensor& weight, const Tensor& z, std::optional<at::Scalar> alpha,
                   const Maybe& bias, const Settings& s, const std::optional<std::string_view>& into = {}) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, const std::optional<at::Scalar>&,
                           const Maybe&, IntArrayRef, IntArrayRef, IntArrayRef, std::int64_t,
                           const std::optional<std::string_view>&)>("conv2d_add_relu");
  return op.call(x, weight, z, alpha, bias, s.stride, s.padding, s.dilation, s.groups, into);
}

Tensor conv(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  return at::conv2d(x, weight, bias, s.stride, s.padding, s.dilation, s.groups);
}

void expectNear(const Tensor& ours, const Tensor& theirs, const Tensor& exact) {
  expectAsAccurate(ours, theirs, exact, kOtherAlgorithm);
}

void expectBoth(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  const Tensor y = conv(x, weight, bias, s);
  const Tensor exact = conv(x.to(at::kDouble), weight.to(at::kDouble), wide(bias), s);
  expectNear(convRelu(x, weight, bias, s), at::relu(y), at::relu(exact));
  const Tensor z = at::randn_like(y);
  expectNear(convAddRelu(x, weight, z, 0.5, bias, s), at::relu(y + 0.5 * z),
             at::relu(exact + 0.5 * z.to(at::kDouble)));
  expectNear(convAddRelu(x, weight, z, {}, bias, s), at::relu(y + z), at::relu(exact + z.to(at::kDouble)));
}

struct Case {
  const char* name;
  std::vector<std::int64_t> x, weight;
  Settings settings;
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all = {
      {"3x3", {2, 16, 9, 11}, {8, 16, 3, 3}, {}},
      {"3x3, stride 2, padded", {2, 16, 9, 11}, {8, 16, 3, 3}, {{2, 2}, {1, 1}, {1, 1}, 1}},
      {"1x1", {2, 16, 7, 7}, {32, 16, 1, 1}, {}},
      {"first of a network", {1, 3, 15, 15}, {8, 3, 7, 7}, {{2, 2}, {3, 3}, {1, 1}, 1}},
      {"one number for both dimensions", {1, 8, 9, 9}, {8, 8, 3, 3}, {{1}, {2}, {2}, 1}},
      {"groups", {2, 16, 7, 7}, {8, 4, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, 4}},
      {"depthwise", {2, 16, 7, 7}, {16, 1, 3, 3}, {{1, 1}, {1, 1}, {1, 1}, 16}},
      {"odd channels", {2, 5, 7, 7}, {3, 5, 3, 3}, {{1, 1}, {0, 1}, {1, 1}, 1}},
      {"no images", {0, 16, 7, 7}, {8, 16, 3, 3}, {}},
  };
  return all;
}

TEST_P(Conv2dRelu, what_is_written_in_place_keeps_its_size) {
  const Tensor x = random({1, 4, 6, 6}, at::kFloat), weight = random({8, 4, 3, 3}, at::kFloat);
  const Tensor channel = random({8, 1, 1}, at::kFloat), more = random({2, 8, 4, 4}, at::kFloat);
  EXPECT_TRUE(at::equal(convAddRelu(x, weight, channel, {}, {}, {}, "product"),
                        convAddRelu(x, weight, channel, {}, {}, {})));
  EXPECT_TRUE(
      at::equal(convAddRelu(x, weight, more, {}, {}, {}, "z"), convAddRelu(x, weight, more, {}, {}, {})));
  EXPECT_THROW(convAddRelu(x, weight, more, {}, {}, {}, "product"), c10::Error);
  EXPECT_THROW(convAddRelu(x, weight, channel, {}, {}, {}, "z"), c10::Error);
}

TEST_P(Conv2dRelu, is_as_accurate_as_the_operators_in_a_row_for_every_dtype_shape_and_layout) {
  for (const auto dtype : kDtypes) {
    for (const Case& c : cases()) {
      for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
        SCOPED_TRACE(testing::Message()
                     << toString(dtype) << " " << c.name << " " << static_cast<int>(format));
        const Tensor x = random(c.x, dtype).contiguous(format);
        const Tensor weight = random(c.weight, dtype, 0, 0.1).contiguous(format);
        expectBoth(x, weight, random({c.weight[0]}, dtype), c.settings);
        expectBoth(x, weight, {}, c.settings);
      }
    }
  }
}

TEST_P(Conv2dRelu, keeps_a_nan_of_the_input_and_of_the_residual) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto dtype : kDtypes) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << static_cast<int>(format));
      const Tensor x = random({2, 16, 8, 8}, dtype).contiguous(format);
      const Tensor weight = random({8, 16, 1, 1}, dtype, 0, 0.1).contiguous(format);
      const Tensor z = random({2, 8, 8, 8}, dtype).contiguous(format), bias = random({8}, dtype);
      z[0][2][1][1].fill_(nan);
      EXPECT_EQ(convAddRelu(x, weight, z, {}, bias, {}).isnan().sum().item<std::int64_t>(), 1);
      x[1][0][3][4].fill_(nan);
      for (const Tensor& y : {convRelu(x, weight, bias, {}), convRelu(x, weight, {}, {})}) {
        EXPECT_TRUE(y.isnan().select(0, 1).select(1, 3).select(1, 4).all().item<bool>());
        EXPECT_EQ(y.isnan().sum().item<std::int64_t>(), 8);
      }
      EXPECT_EQ(convAddRelu(x, weight, z, {}, bias, {}).isnan().sum().item<std::int64_t>(), 9);
    }
  }
}

TEST_P(Conv2dRelu, is_channels_last_where_x_or_weight_is) {
  const auto last = at::MemoryFormat::ChannelsLast;
  const Tensor x = random({2, 16, 9, 11}, at::kFloat), weight = random({8, 16, 3, 3}, at::kFloat);
  EXPECT_TRUE(convRelu(x, weight, {}, {}).is_contiguous());
  EXPECT_TRUE(convRelu(x.contiguous(last), weight, {}, {}).is_contiguous(last));
  EXPECT_TRUE(convRelu(x, weight.contiguous(last), {}, {}).is_contiguous(last));
  const Tensor z = random({2, 8, 7, 9}, at::kFloat);
  EXPECT_TRUE(convAddRelu(x.contiguous(last), weight, z, {}, {}, {}).is_contiguous(last));
}

TEST_P(Conv2dRelu, meta_tensors_give_the_shapes_and_strides_of_real_ones) {
  for (const Case& c : cases()) {
    for (const auto format : {at::MemoryFormat::Contiguous, at::MemoryFormat::ChannelsLast}) {
      SCOPED_TRACE(c.name);
      const Tensor x = random(c.x, at::kFloat).contiguous(format), weight = random(c.weight, at::kFloat);
      const Tensor real = convRelu(x, weight, {}, c.settings);
      const Tensor meta = convRelu(onMeta(x), onMeta(weight), {}, c.settings);
      const Tensor sum = convAddRelu(onMeta(x), onMeta(weight), onMeta(real), {}, {}, c.settings);
      for (const Tensor& shape : {meta, sum}) {
        EXPECT_TRUE(shape.is_meta());
        EXPECT_EQ(real.sizes(), shape.sizes());
        EXPECT_EQ(real.strides(), shape.strides());
      }
    }
  }
}

TEST_P(Conv2dRelu, refuses_what_torch_refuses_with_its_words) {
  const Tensor x = random({2, 16, 9, 9}, at::kFloat), weight = random({8, 15, 3, 3}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { convRelu(x, weight, {}, {}); }), outcomeOf([&] { conv(x, weight, {}, {}); }));
  EXPECT_NE(outcomeOf([&] { convRelu(onMeta(x), onMeta(weight), {}, {}); }), "no error");
}

TEST_P(Conv2dRelu, has_the_gradients_of_the_operators_in_a_row) {
  std::vector<Tensor> inputs = {random({2, 4, 6, 6}, at::kFloat), random({4, 4, 3, 3}, at::kFloat),
                                random({2, 4, 4, 4}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const Tensor ours = convAddRelu(inputs[0], inputs[1], inputs[2], 2, {}, {});
  const Tensor theirs = at::relu(conv(inputs[0], inputs[1], {}, {}) + 2 * inputs[2]);
  const auto our = torch::autograd::grad({ours.sum()}, inputs),
             their = torch::autograd::grad({theirs.sum()}, inputs);
  for (std::size_t i = 0; i < our.size(); ++i) EXPECT_TRUE(at::allclose(our[i], their[i], 1e-4, 1e-5));
}

}  // namespace
}  // namespace kadvise::test

// Convolutions of signals that lie in rows of channels: what torch's give, laid out as the operators say.
#include "tests/kernels/on_device.h"

#include <ATen/Context.h>

namespace kadvise::test {

struct Conv1dChannelsLast : OnDevice {
  void SetUp() override {
    OnDevice::SetUp();
    at::globalContext().setAllowTF32CuDNN(false);
  }
};
INSTANTIATE_TEST_SUITE_P(Operators, Conv1dChannelsLast, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

using at::IntArrayRef;

struct Settings {
  std::int64_t stride = 1, padding = 0, dilation = 1, groups = 1, outputPadding = 0;
};

Tensor conv(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef, IntArrayRef, IntArrayRef,
                           std::int64_t)>("conv1d_channels_last");
  return op.call(x, weight, bias, s.stride, s.padding, s.dilation, s.groups);
}

Tensor transposed(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef, IntArrayRef, IntArrayRef,
                           std::int64_t, IntArrayRef)>("conv_transpose1d_channels_last");
  return op.call(x, weight, bias, s.stride, s.padding, s.outputPadding, s.groups, s.dilation);
}

Tensor torchConv(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  return at::conv1d(x, weight, bias, s.stride, s.padding, s.dilation, s.groups);
}

Tensor torchTransposed(const Tensor& x, const Tensor& weight, const Maybe& bias, const Settings& s) {
  return at::conv_transpose1d(x, weight, bias, s.stride, s.padding, s.outputPadding, s.groups, s.dilation);
}

Tensor inRows(const Tensor& t) { return t.transpose(1, 2).contiguous().transpose(1, 2); }
bool isInRows(const Tensor& t) { return t.transpose(1, 2).is_contiguous(); }

const std::pair<std::vector<std::int64_t>, Settings> kCases[] = {
    {{2, 16, 40, 8, 3}, {}},
    {{2, 16, 41, 8, 7}, {.stride = 2, .padding = 3}},
    {{1, 8, 33, 8, 3}, {.padding = 4, .dilation = 4}},
    {{2, 8, 20, 8, 4}, {.stride = 2, .padding = 1, .outputPadding = 1}},
    {{2, 5, 17, 3, 5}, {.padding = 2}},
    {{2, 16, 20, 16, 3}, {.padding = 1, .groups = 4}},
    {{2, 1, 50, 8, 10}, {.stride = 5}},
    {{1, 8, 9, 1, 1}, {}},
    {{0, 8, 9, 4, 3}, {}},
};

TEST_P(Conv1dChannelsLast, gives_what_torch_does_in_rows) {
  for (const auto dtype : kDtypes)
    for (const auto& [sizes, s] : kCases) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << IntArrayRef(sizes));
      const auto [batch, in, length, out, taps] =
          std::tuple(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
      const Tensor plain = random({batch, in, length}, dtype);
      const Tensor weight = random({out, in / s.groups, taps}, dtype, 0, 0.1);
      const Tensor turned = random({in, out / s.groups, taps}, dtype, 0, 0.1);
      const Tensor bias = random({out}, dtype);
      for (const Tensor& x : {plain, inRows(plain)})
        for (const Maybe& b : {Maybe(bias), Maybe()}) {
          const Tensor y = conv(x, inRows(weight), b, s);
          EXPECT_TRUE(isInRows(y));
          expectAsAccurate(y, torchConv(x, weight, b, s),
                           torchConv(x.to(at::kDouble), weight.to(at::kDouble), wide(b), s), kOtherAlgorithm);
          const Tensor z = transposed(x, turned, b, s);
          EXPECT_TRUE(isInRows(z));
          expectAsAccurate(z, torchTransposed(x, turned, b, s),
                           torchTransposed(x.to(at::kDouble), turned.to(at::kDouble), wide(b), s),
                           kOtherAlgorithm);
        }
    }
}

TEST_P(Conv1dChannelsLast, meta_tensors_know_sizes_and_strides) {
  for (const auto& [sizes, s] : kCases) {
    const auto [batch, in, length, out, taps] = std::tuple(sizes[0], sizes[1], sizes[2], sizes[3], sizes[4]);
    const Tensor x = random({batch, in, length}, at::kFloat);
    const Tensor weight = random({out, in / s.groups, taps}, at::kFloat);
    const Tensor turned = random({in, out / s.groups, taps}, at::kFloat);
    const auto meta = [](const Tensor& t) { return t.to(at::kMeta); };
    const Tensor y = conv(x, weight, {}, s), form = conv(meta(x), meta(weight), {}, s);
    EXPECT_EQ(y.sizes(), form.sizes());
    EXPECT_TRUE(isInRows(form));
    EXPECT_EQ(transposed(x, turned, {}, s).sizes(), transposed(meta(x), meta(turned), {}, s).sizes());
  }
}

TEST_P(Conv1dChannelsLast, refuses_what_is_no_signal) {
  const Tensor x = random({2, 8, 9}, at::kFloat), weight = random({4, 8, 3}, at::kFloat);
  EXPECT_THROW(conv(x[0], weight, {}, {}), c10::Error);
  EXPECT_THROW(conv(x, weight.unsqueeze(2), {}, {}), c10::Error);
  EXPECT_THROW(conv(x, random({4, 7, 3}, at::kFloat), {}, {}), c10::Error);
  EXPECT_THROW(transposed(x, random({7, 4, 3}, at::kFloat), {}, {}), c10::Error);
  for (const Settings& s :
       {Settings{.stride = 0}, {.padding = -1}, {.dilation = 0}, {.groups = 0}, {.dilation = 9}})
    for (const auto device : {x.device(), at::Device(at::kMeta)}) {
      EXPECT_THROW(conv(x.to(device), weight.to(device), {}, s), c10::Error);
      EXPECT_THROW(
          transposed(x.to(device), random({8, 4, 3}, at::kFloat).to(device), {}, {.outputPadding = 1}),
          c10::Error);
    }
}

TEST_P(Conv1dChannelsLast, takes_one_number_for_each_setting) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, IntArrayRef, IntArrayRef, IntArrayRef,
                           std::int64_t)>("conv1d_channels_last");
  const Tensor x = random({2, 8, 9}, at::kFloat), weight = random({4, 8, 3}, at::kFloat);
  const std::vector<std::int64_t> none, one = {1}, two = {1, 2};
  for (const auto& wrong : {none, two}) {
    EXPECT_THROW(op.call(x, weight, {}, wrong, one, one, 1), c10::Error);
    EXPECT_THROW(op.call(x, weight, {}, one, wrong, one, 1), c10::Error);
    EXPECT_THROW(op.call(x, weight, {}, one, one, wrong, 1), c10::Error);
  }
}

}  // namespace
}  // namespace kadvise::test

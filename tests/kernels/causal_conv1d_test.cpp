// kadvise::causal_conv1d against the convolution written out and against double precision.
#include "tests/kernels/generated.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct CausalConv1d : OnDevice {};
struct CausalConv1dOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, CausalConv1d, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, CausalConv1dOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor conv(const Tensor& x, const Tensor& weight, const Maybe& bias, bool silu) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, bool)>("causal_conv1d");
  return op.call(x, weight, bias, silu);
}

Tensor writtenOut(const Tensor& x, const Tensor& weight, const Maybe& bias, bool silu) {
  const std::int64_t width = weight.size(2);
  const Tensor y = at::conv1d(x, weight, bias, 1, width - 1, 1, x.size(1)).slice(2, 0, x.size(2));
  return silu ? at::silu(y) : y;
}

// Tap by tap, so that no library decides how it is done.
Tensor exact(const Tensor& x, const Tensor& weight, const Maybe& bias, bool silu) {
  const std::int64_t width = weight.size(2), length = x.size(2);
  const Tensor padded = at::constant_pad_nd(x.to(at::kDouble), {width - 1, 0});
  Tensor y = at::zeros(x.sizes(), x.options().dtype(at::kDouble));
  for (std::int64_t k = 0; k < width; ++k) {
    y += padded.slice(2, k, k + length) * weight.to(at::kDouble).select(2, k);
  }
  if (bias) y += bias->to(at::kDouble).unsqueeze(-1);
  return silu ? at::silu(y) : y;
}

void expectConv(const Tensor& x, const Tensor& weight, const Maybe& bias, bool silu) {
  const Tensor ours = conv(x, weight, bias, silu);
  expectAsAccurate(ours, writtenOut(x, weight, bias, silu), exact(x, weight, bias, silu));
  const Tensor meta = conv(onMeta(x), onMeta(weight), bias ? Maybe(onMeta(*bias)) : Maybe(), silu);
  EXPECT_EQ(meta.sizes(), ours.sizes());
  EXPECT_EQ(meta.strides(), ours.strides());
  EXPECT_EQ(meta.scalar_type(), ours.scalar_type());
}

TEST_P(CausalConv1d, is_as_accurate_as_written_out_in_generated_cases) {
  Draw draw(1);
  for (int i = 0; i < kGeneratedCases; ++i) {
    const auto dtype = draw.dtype();
    const std::int64_t batches = draw.of<std::int64_t>({1, 2, 3}),
                       channels = draw.of<std::int64_t>({1, 3, 8, 13, 40, 64});
    const std::int64_t length = draw.of<std::int64_t>({1, 2, 3, 5, 7, 8, 16, 17, 31, 33, 100, 257});
    const std::int64_t width = draw.of<std::int64_t>({1, 2, 3, 4, 4, 5});
    const Tensor x = draw.sequence(random({batches, channels, length}, dtype));
    const Maybe bias = draw.coin() ? Maybe(random({channels}, dtype)) : Maybe();
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << x.sizes() << x.strides() << " width "
                                    << width);
    expectConv(x, random({channels, 1, width}, dtype), bias, draw.coin());
  }
}

TEST_P(CausalConv1d, reads_nothing_that_comes_later) {
  const Tensor x = random({2, 8, 40}, at::kFloat), weight = random({8, 1, 4}, at::kFloat);
  Tensor other = x.clone();
  other.slice(2, 23).fill_(std::numeric_limits<double>::quiet_NaN());
  for (const Tensor& layout : {other, other.transpose(1, 2).contiguous().transpose(1, 2)}) {
    EXPECT_TRUE(at::equal(conv(layout, weight, Maybe(), true).slice(2, 0, 23),
                          conv(x, weight, Maybe(), true).slice(2, 0, 23)));
  }
}

TEST_P(CausalConv1d, takes_nothing) {
  const Tensor weight = random({8, 1, 4}, at::kFloat);
  const std::vector<std::int64_t> empty[] = {{0, 8, 5}, {2, 8, 0}};
  for (const at::IntArrayRef sizes : empty) {
    EXPECT_EQ(conv(random(sizes, at::kFloat), weight, Maybe(), true).sizes(), sizes);
  }
}

TEST_P(CausalConv1d, of_what_does_not_fit_is_an_error) {
  const Tensor x = random({2, 8, 5}, at::kFloat), weight = random({8, 1, 4}, at::kFloat);
  const auto outcome = [&](const Tensor& a, const Tensor& b, const Maybe& c) {
    return outcomeOf([&] { conv(a, b, c, true); });
  };
  EXPECT_NE(outcome(x[0], weight, Maybe()).find("[batch, channel, time]"), std::string::npos);
  EXPECT_NE(outcome(x, weight.slice(0, 0, 4), Maybe()).find("[channels of x, 1, width]"), std::string::npos);
  EXPECT_NE(outcome(x, weight, random({4}, at::kFloat)).find("bias must be"), std::string::npos);
}

TEST_P(CausalConv1d, of_doubles_is_done_by_torch) {
  const Tensor x = random({2, 8, 20}, at::kDouble), weight = random({8, 1, 3}, at::kDouble);
  EXPECT_TRUE(at::allclose(conv(x, weight, Maybe(), true), exact(x, weight, Maybe(), true)));
}

TEST_P(CausalConv1d, has_the_gradient_of_the_form_written_out) {
  const Tensor x = random({2, 8, 20}, at::kFloat).requires_grad_();
  const Tensor weight = random({8, 1, 4}, at::kFloat).requires_grad_();
  const auto gradients = [&](const Tensor& y) {
    return torch::autograd::grad({y.square().sum()}, {x, weight});
  };
  const auto ours = gradients(conv(x, weight, Maybe(), true));
  const auto theirs = gradients(writtenOut(x, weight, Maybe(), true));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
}

TEST_P(CausalConv1dOnGpu, more_than_2_31_elements) {
  try {
    const Tensor x = at::randn({(std::int64_t{1} << 15) + 1, 64, 1032}, of(at::kBFloat16));
    const Tensor weight = at::randn({64, 1, 4}, of(at::kBFloat16));
    for (const Tensor& whole : {x, x.slice(2, 1), x.transpose(1, 2).slice(1, 0, 64)}) {
      const Tensor ours = conv(whole, weight, Maybe(), true);
      for (const std::int64_t batch : {std::int64_t{0}, whole.size(0) - 1}) {
        const Tensor part = whole.slice(0, batch, batch + 1);
        const Tensor difference = ours.slice(0, batch, batch + 1) - exact(part, weight, Maybe(), true);
        EXPECT_LE(difference.abs().max().item<double>(), 0.1) << "batch " << batch;
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

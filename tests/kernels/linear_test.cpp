// kadvise::linear against torch's linear, and against double precision.
#include "tests/kernels/linear_epilogue.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct Linear : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Linear, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

Tensor productOf(const Tensor& x, const Tensor& weight, const Maybe& bias) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&)>("linear");
  return op.call(x, weight, bias);
}

void expectProduct(const Tensor& x, const Tensor& weight, const Maybe& bias) {
  expectAsAccurateProduct(productOf(x, weight, bias), at::linear(x, weight, bias),
                          at::linear(x.to(at::kDouble), weight.to(at::kDouble), wide(bias)));
}

TEST_P(Linear, is_as_accurate_as_torchs_for_every_dtype_and_layout) {
  for (const auto dtype : kDtypes) {
    for (const LinearLayout& layout : linearLayouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      expectProduct(o.x, o.weight, o.bias);
      expectProduct(o.x, o.weight, {});
    }
  }
}

TEST_P(Linear, is_as_accurate_where_long_sums_are_split) {
  for (const std::int64_t rows : {1, 16, 256}) {
    const Tensor weight = random({768, 3072}, at::kFloat, 0, 0.02);
    expectProduct(random({rows, 3072}, at::kFloat), weight, random({768}, at::kFloat));
  }
}

TEST_P(Linear, gives_the_same_bits_each_time) {
  const Tensor x = random({256, 3072}, at::kFloat), weight = random({768, 3072}, at::kFloat, 0, 0.02);
  const Tensor bias = random({768}, at::kFloat), first = productOf(x, weight, bias);
  for (int i = 0; i < 20; ++i) EXPECT_TRUE(at::equal(productOf(x, weight, bias), first));
}

TEST_P(Linear, meta_tensors_give_the_shapes_of_real_ones) {
  for (const LinearLayout& layout : linearLayouts()) {
    SCOPED_TRACE(layout.name);
    const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kFloat); });
    const Tensor real = productOf(o.x, o.weight, o.bias);
    const Tensor meta = productOf(onMeta(o.x), onMeta(o.weight), onMeta(o.bias));
    EXPECT_TRUE(meta.is_meta());
    EXPECT_EQ(real.sizes(), meta.sizes());
    EXPECT_EQ(real.strides(), meta.strides());
    EXPECT_EQ(real.scalar_type(), meta.scalar_type());
  }
}

TEST_P(Linear, refuses_what_torch_refuses) {
  const Tensor x = random({3, 64}, at::kFloat), weight = random({16, 63}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { productOf(x, weight, {}); }), outcomeOf([&] { at::linear(x, weight); }));
}

TEST_P(Linear, has_the_gradients_of_torchs) {
  std::vector<Tensor> inputs = {random({3, 64}, at::kFloat), random({16, 64}, at::kFloat),
                                random({16}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const auto gradients = [&](const Tensor& y) { return torch::autograd::grad({y.square().sum()}, inputs); };
  const auto ours = gradients(productOf(inputs[0], inputs[1], inputs[2]));
  const auto theirs = gradients(at::linear(inputs[0], inputs[1], inputs[2]));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
}

}  // namespace
}  // namespace kadvise::test

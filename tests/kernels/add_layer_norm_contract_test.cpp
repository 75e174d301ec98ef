// What kadvise::add_layer_norm promises beside its results, and what it must leave to at::add and
// at::layer_norm.
#include "tests/kernels/add_layer_norm.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>

namespace kadvise::test {
namespace {

TEST_P(OnDevice, leaves_inputs_alone_and_returns_fresh_tensors) {
  const Tensor x = random({4, 32}, at::kFloat), residual = random({4, 32}, at::kFloat);
  const Tensor weight = random({32}, at::kFloat), bias = random({32}, at::kFloat);
  const Tensor inputs[] = {x, residual, weight, bias};
  std::vector<Tensor> copies;
  for (const Tensor& t : inputs) copies.push_back(t.clone());
  const auto [normalized, sum] = addLayerNorm(x, residual, {32}, weight, bias);
  EXPECT_FALSE(normalized.is_alias_of(sum));
  for (std::size_t i = 0; i < copies.size(); ++i) {
    EXPECT_TRUE(at::equal(inputs[i], copies[i]));
    EXPECT_FALSE(normalized.is_alias_of(inputs[i]));
    EXPECT_FALSE(sum.is_alias_of(inputs[i]));
  }
}

TEST_P(OnDevice, what_the_kernel_cannot_do_is_done_by_torch) {
  const auto make = [&](at::ScalarType dtype) { return random({4, 32}, dtype); };
  const std::tuple<at::ScalarType, at::ScalarType, at::ScalarType> dtypes[] = {
      {at::kDouble, at::kDouble, at::kDouble}, {at::kFloat, at::kBFloat16, at::kFloat},
      {at::kHalf, at::kFloat, at::kFloat},     {at::kBFloat16, at::kHalf, at::kFloat},
      {at::kFloat, at::kLong, at::kFloat},     {at::kFloat, at::kDouble, at::kDouble}};
  for (const auto& [left, right, affine] : dtypes) {
    SCOPED_TRACE(testing::Message() << toString(left) << " + " << toString(right));
    const Tensor x = make(left), residual = make(right), weight = random({32}, affine);
    const auto [normalized, sum] = addLayerNorm(x, residual, {32}, weight, {});
    const auto [torchNormalized, torchSum] = composition(x, residual, {32}, weight, {});
    EXPECT_TRUE(at::equal(sum, torchSum));
    EXPECT_TRUE(at::equal(normalized, torchNormalized));
    EXPECT_EQ(normalized.scalar_type(), torchNormalized.scalar_type());
  }
}

TEST_P(OnDevice, refuses_what_torch_refuses_with_its_words) {
  const Tensor x = random({4, 32}, at::kFloat), other = random({4, 31}, at::kFloat), ints = x.to(at::kLong);
  const Tensor weight = random({31}, at::kFloat), halfWeight = random({32}, at::kHalf);
  const std::function<Results(decltype(addLayerNorm)*)> calls[] = {
      [&](auto* f) { return f(x, other, {32}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {31}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {2, 4, 32}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {32}, weight, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {32}, {}, weight, 1e-5); },
      [&](auto* f) { return f(x, x, {32}, halfWeight, {}, 1e-5); },
      [&](auto* f) { return f(ints, ints, {32}, {}, {}, 1e-5); }};
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    const std::string ours = outcomeOf([&] { calls[i](&addLayerNorm); });
    EXPECT_EQ(ours, outcomeOf([&] { calls[i](&composition); })) << "call " << i;
    EXPECT_NE(ours, "no error") << "call " << i;
  }
}

TEST_P(OnDevice, gradients_are_those_of_torch) {
  const auto gradients = [&](auto* operation) {
    at::manual_seed(3);
    std::vector<Tensor> inputs = {random({4, 32}, at::kFloat), random({4, 32}, at::kFloat),
                                  random({32}, at::kFloat), random({32}, at::kFloat)};
    for (Tensor& t : inputs) t.requires_grad_();
    const auto [normalized, sum] = operation(inputs[0], inputs[1], {32}, inputs[2], inputs[3], 1e-5);
    return torch::autograd::grad({(normalized * normalized * 3).sum() + sum.sum()}, inputs);
  };
  const auto ours = gradients(&addLayerNorm), theirs = gradients(&composition);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::equal(ours[i], theirs[i])) << "input " << i;
}

TEST_P(OnDevice, without_gradients_nothing_is_recorded) {
  Tensor x = random({4, 32}, at::kFloat);
  x.requires_grad_();
  const at::NoGradGuard none;
  EXPECT_FALSE(std::get<0>(addLayerNorm(x, x, {32})).requires_grad());
  const c10::InferenceMode inference;
  const Tensor y = random({4, 32}, at::kFloat);
  expectAsAccurate(y, y, {32}, {}, {});
  EXPECT_TRUE(std::get<0>(addLayerNorm(y, y, {32})).is_inference());
}

TEST_P(OnDevice, autocast_means_what_it_means_to_torch) {
  const auto device = of(at::kFloat).device().type();
  const Tensor low = random({4, 32}, at::kBFloat16), high = random({4, 32}, at::kFloat);
  at::autocast::set_autocast_enabled(device, true);
  const auto lowPair = std::pair(addLayerNorm(low, low, {32}), composition(low, low, {32}));
  const auto highPair = std::pair(addLayerNorm(high, high, {32}), composition(high, high, {32}));
  at::autocast::set_autocast_enabled(device, false);
  at::autocast::clear_cache();
  EXPECT_EQ(std::get<0>(lowPair.first).scalar_type(), std::get<0>(lowPair.second).scalar_type());
  EXPECT_TRUE(at::equal(std::get<0>(lowPair.first), std::get<0>(lowPair.second)));
  EXPECT_EQ(std::get<0>(highPair.first).scalar_type(), at::kFloat);
}

TEST(AddLayerNormSchema, says_what_it_takes_and_that_nothing_is_aliased) {
  library();
  const auto& schema = c10::Dispatcher::singleton().findSchemaOrThrow("kadvise::add_layer_norm", "").schema();
  EXPECT_EQ(schema.arguments().size(), 6u);
  EXPECT_EQ(schema.returns().size(), 2u);
  EXPECT_EQ(schema.returns()[0].name(), "normalized");
  EXPECT_EQ(schema.returns()[1].name(), "sum");
  EXPECT_FALSE(schema.is_mutable());
  for (const auto& argument : schema.arguments()) EXPECT_EQ(argument.alias_info(), nullptr);
  for (const auto& result : schema.returns()) EXPECT_EQ(result.alias_info(), nullptr);
}

}  // namespace
}  // namespace kadvise::test

// kadvise::linear_activation against linear and the activation, and against double precision.
#include "tests/kernels/linear_epilogue.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace kadvise::test {

struct LinearActivation : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, LinearActivation, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

Tensor linearActivation(const Tensor& x, const Tensor& weight, const Maybe& bias, c10::string_view name) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, c10::string_view)>(
      "linear_activation");
  return op.call(x, weight, bias, name);
}

Tensor writtenOut(const Tensor& x, const Tensor& weight, const Maybe& bias, const std::string& name) {
  const Tensor y = at::linear(x, weight, bias);
  return name == "relu" ? at::relu(y) : name == "gelu_tanh" ? at::gelu(y, "tanh") : at::silu(y);
}

void expectLinear(const Tensor& x, const Tensor& weight, const Maybe& bias, const std::string& name) {
  expectAsAccurateProduct(linearActivation(x, weight, bias, name), writtenOut(x, weight, bias, name),
                          writtenOut(x.to(at::kDouble), weight.to(at::kDouble), wide(bias), name));
}

TEST_P(LinearActivation, is_as_accurate_as_written_out_for_every_dtype_and_shape) {
  const std::vector<std::vector<std::int64_t>> shapes = {{5}, {2, 7}, {1}, {3, 0}, {}, {2, 1, 3}};
  for (const auto dtype : kDtypes) {
    for (const char* name : {"relu", "gelu_tanh", "silu"}) {
      for (const auto& rows : shapes) {
        for (const auto& [in, out] : {std::pair(64, 128), std::pair(33, 17)}) {
          SCOPED_TRACE(testing::Message() << name << " " << toString(dtype) << " " << in << " to " << out);
          std::vector<std::int64_t> sizes = rows;
          sizes.push_back(in);
          const Tensor x = random(sizes, dtype), weight = random({out, in}, dtype, 0, 0.1);
          expectLinear(x, weight, random({out}, dtype), name);
          expectLinear(x, weight, {}, name);
        }
      }
    }
  }
}

TEST_P(LinearActivation, takes_rows_and_weights_in_any_layout) {
  for (const auto dtype : kDtypes) {
    for (const LinearLayout& layout : linearLayouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      for (const char* name : {"relu", "gelu_tanh", "silu"}) expectLinear(o.x, o.weight, o.bias, name);
    }
  }
}

TEST_P(LinearActivation, keeps_a_nan_of_the_input) {
  for (const auto dtype : kDtypes) {
    for (const char* name : {"relu", "gelu_tanh", "silu"}) {
      SCOPED_TRACE(testing::Message() << name << " " << toString(dtype));
      const Tensor x = random({32, 64}, dtype), weight = random({128, 64}, dtype, 0, 0.1);
      x[3][5].fill_(std::numeric_limits<double>::quiet_NaN());
      for (const Maybe& bias : {Maybe(), Maybe(random({128}, dtype))}) {
        const Tensor ours = linearActivation(x, weight, bias, name).isnan();
        EXPECT_TRUE(ours[3].all().item<bool>());
        EXPECT_EQ(ours.sum().item<std::int64_t>(), 128);
      }
    }
  }
}

TEST_P(LinearActivation, meta_tensors_give_the_shapes_of_real_ones) {
  const Tensor x = random({3, 5, 64}, at::kHalf).transpose(0, 1), weight = random({128, 64}, at::kHalf);
  const Tensor real = linearActivation(x, weight, random({128}, at::kHalf), "relu");
  const Tensor meta = linearActivation(onMeta(x), onMeta(weight), onMeta(random({128}, at::kHalf)), "relu");
  EXPECT_TRUE(meta.is_meta());
  EXPECT_EQ(real.sizes(), meta.sizes());
  EXPECT_EQ(real.strides(), meta.strides());
  EXPECT_EQ(real.scalar_type(), meta.scalar_type());
}

TEST_P(LinearActivation, refuses_what_torch_refuses_and_names_it_does_not_know) {
  const Tensor x = random({3, 64}, at::kFloat), weight = random({16, 63}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { linearActivation(x, weight, {}, "relu"); }),
            outcomeOf([&] { at::linear(x, weight); }));
  const std::string message =
      outcomeOf([&] { linearActivation(x, random({16, 64}, at::kFloat), {}, "tanh"); });
  EXPECT_NE(message.find("no activation 'tanh'"), std::string::npos) << message;
}

TEST_P(LinearActivation, has_the_gradients_of_the_form_written_out) {
  std::vector<Tensor> inputs = {random({3, 64}, at::kFloat), random({16, 64}, at::kFloat),
                                random({16}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const auto gradients = [&](auto* operation) {
    return torch::autograd::grad({operation(inputs[0], inputs[1], inputs[2], "gelu_tanh").sum()}, inputs);
  };
  const auto ours = gradients(+[](const Tensor& x, const Tensor& w, const Tensor& b, const char* name) {
    return linearActivation(x, w, b, name);
  });
  const auto theirs = gradients(+[](const Tensor& x, const Tensor& w, const Tensor& b, const char* name) {
    return writtenOut(x, w, b, name);
  });
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
}

}  // namespace
}  // namespace kadvise::test

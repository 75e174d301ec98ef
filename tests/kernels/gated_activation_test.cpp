// kadvise::activation and kadvise::gated_activation against the forms written out and against double
// precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace kadvise::test {

struct Activations : OnDevice {};
struct ActivationsOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Activations, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, ActivationsOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor activation(const Tensor& x, c10::string_view name) {
  static const auto op = operatorNamed<Tensor(const Tensor&, c10::string_view)>("activation");
  return op.call(x, name);
}

Tensor gatedActivation(const Tensor& gate, const Tensor& up, c10::string_view name) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, c10::string_view)>("gated_activation");
  return op.call(gate, up, name);
}

struct Written {
  const char* name;
  Tensor (*of)(const Tensor&);
};
const Written kActivations[] = {
    {"silu", [](const Tensor& x) { return at::silu(x); }},
    {"gelu", [](const Tensor& x) { return at::gelu(x); }},
    {"gelu_tanh", [](const Tensor& x) { return at::gelu(x, "tanh"); }},
    {"quick_gelu", [](const Tensor& x) { return x * at::sigmoid(1.702 * x); }},
    {"sigmoid", [](const Tensor& x) { return at::sigmoid(x); }},
    {"relu", [](const Tensor& x) { return at::relu(x); }},
    {"relu6", [](const Tensor& x) { return at::hardtanh(x, 0, 6); }},
    {"hardswish", [](const Tensor& x) { return at::hardswish(x); }},
};

void expectActivation(const Written& act, const Tensor& x) {
  const Tensor ours = activation(x, act.name), theirs = act.of(x);
  EXPECT_EQ(ours.strides(), theirs.strides());
  expectAsAccurate(ours, theirs, act.of(x.to(at::kDouble)));
}

void expectGated(const Written& act, const Tensor& gate, const Tensor& up) {
  const Tensor ours = gatedActivation(gate, up, act.name), theirs = act.of(gate) * up;
  EXPECT_EQ(ours.strides(), theirs.strides());
  expectAsAccurate(ours, theirs, act.of(gate.to(at::kDouble)) * up.to(at::kDouble));
}

TEST_P(Activations, are_as_accurate_as_written_out_for_every_dtype_and_size) {
  for (const auto dtype : kDtypes) {
    for (const Written& act : kActivations) {
      for (const std::int64_t size : {0, 1, 7, 8, 1000, 1023, 4096, 100003}) {
        SCOPED_TRACE(testing::Message() << act.name << " " << toString(dtype) << " " << size);
        const Tensor gate = random({size}, dtype, 0, 3), up = random({size}, dtype);
        expectActivation(act, gate);
        expectGated(act, gate, up);
      }
    }
  }
}

using New = std::function<Tensor(at::IntArrayRef)>;  // a tensor of these sizes

struct Layout {
  const char* name;
  std::function<std::pair<Tensor, Tensor>(const New&)> make;  // gate and up
};

std::pair<Tensor, Tensor> halves(const Tensor& t, std::int64_t dim) {
  const auto parts = t.chunk(2, dim);
  return {parts[0], parts[1]};
}

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 5, 24})); }},
      {"halves of one tensor", [](const New& t) { return halves(t({3, 5, 48}), -1); }},
      {"halves, the second first",
       [](const New& t) {
         const auto [up, gate] = halves(t({3, 5, 48}), -1);
         return std::pair(gate, up);
       }},
      {"odd halves", [](const New& t) { return halves(t({3, 5, 46}), -1); }},
      {"halves of the channels", [](const New& t) { return halves(t({2, 6, 4, 5}), 1); }},
      {"channels last",
       [](const New& t) {
         const auto last = at::MemoryFormat::ChannelsLast;
         return std::pair(t({2, 3, 4, 5}).contiguous(last), t({2, 3, 4, 5}).contiguous(last));
       }},
      {"one strided", [](const New& t) { return std::pair(t({3, 5, 40}).slice(2, 8, 32), t({3, 5, 24})); }},
      {"storage offset",
       [](const New& t) { return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({3, 5, 24})); }},
      {"one transposed",
       [](const New& t) { return std::pair(t({3, 5, 24}).transpose(0, 1), t({5, 3, 24})); }},
      {"both transposed",
       [](const New& t) { return std::pair(t({24, 5}).transpose(0, 1), t({24, 5}).transpose(0, 1)); }},
      {"inner step", [](const New& t) { return std::pair(t({3, 48}).slice(1, 0, 48, 2), t({3, 24})); }},
      {"expanded up", [](const New& t) { return std::pair(t({3, 5, 24}), t({24}).expand({3, 5, 24})); }},
      {"up broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({5, 1})); }},
      {"gate broadcast", [](const New& t) { return std::pair(t({24}), t({3, 5, 24})); }},
      {"scalars", [](const New& t) { return std::pair(t({}), t({})); }},
      {"nothing", [](const New& t) { return std::pair(t({3, 0, 24}), t({3, 0, 24})); }},
  };
  return all;
}

TEST_P(Activations, any_layout_gives_the_values_and_strides_of_torch) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto [gate, up] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      expectGated(kActivations[0], gate, up);
      expectActivation(kActivations[3], gate);
    }
  }
}

TEST_P(Activations, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const auto [gate, up] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kHalf); });
    const std::pair<Tensor, Tensor> pairs[] = {
        {gatedActivation(gate, up, "silu"), gatedActivation(onMeta(gate), onMeta(up), "silu")},
        {activation(gate, "gelu"), activation(onMeta(gate), "gelu")}};
    for (const auto& [real, meta] : pairs) {
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides());
      EXPECT_EQ(real.scalar_type(), meta.scalar_type());
    }
  }
}

TEST_P(Activations, of_extreme_values_are_those_of_torch) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor values = at::tensor({0.0, -0.0, 1e4, -1e4, 88.0, -88.0, -60.0, infinity, -infinity,
                                    std::numeric_limits<double>::quiet_NaN(), 1e-8, -1e-8},
                                   at::kDouble);
  for (const auto dtype : kDtypes) {
    const Tensor x = values.to(of(dtype));
    for (const Written& act : kActivations) {
      SCOPED_TRACE(testing::Message() << act.name << " " << toString(dtype));
      const Tensor ours = activation(x, act.name), theirs = act.of(x);
      EXPECT_TRUE(at::equal(ours.isnan(), theirs.isnan())) << ours << theirs;
      EXPECT_TRUE(at::equal(ours.isinf(), theirs.isinf())) << ours << theirs;
      EXPECT_TRUE(at::allclose(ours, theirs, 1e-2, 1e-6, /*equal_nan=*/true)) << ours << theirs;
    }
  }
}

// As two operators in a row would: the factor that meets `up` has the dtype's digits only.
TEST_P(Activations, are_rounded_before_the_product) {
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    const Tensor gate = random({4096}, dtype), up = random({4096}, dtype);
    const Tensor rounded = activation(gate, "silu").to(at::kFloat) * up.to(at::kFloat);
    EXPECT_TRUE(at::equal(gatedActivation(gate, up, "silu"), rounded.to(dtype)));
  }
}

TEST_P(Activations, of_other_dtypes_are_done_by_torch) {
  const Tensor low = random({4, 32}, at::kBFloat16), high = random({4, 32}, at::kFloat);
  EXPECT_TRUE(at::equal(gatedActivation(low, high, "relu"), at::relu(low) * high));
  EXPECT_EQ(gatedActivation(low, high, "relu").scalar_type(), at::kFloat);
  const Tensor precise = random({4, 32}, at::kDouble);
  EXPECT_TRUE(at::equal(activation(precise, "gelu"), at::gelu(precise)));
}

TEST_P(Activations, refuse_a_name_they_do_not_know_and_list_those_they_do) {
  const Tensor x = random({4}, at::kFloat);
  for (const Tensor& t : {x, onMeta(x)}) {
    const std::string message = outcomeOf([&] { gatedActivation(t, t, "swish"); });
    EXPECT_NE(message.find("no activation 'swish'"), std::string::npos) << message;
    EXPECT_NE(message.find("silu, gelu, gelu_tanh, quick_gelu, sigmoid, relu"), std::string::npos) << message;
    EXPECT_EQ(outcomeOf([&] { activation(t, "swish"); }), message);
  }
}

TEST_P(Activations, have_the_gradients_of_the_form_written_out) {
  for (const Written& act : kActivations) {
    SCOPED_TRACE(act.name);
    const Tensor gate = random({4, 32}, at::kFloat).requires_grad_();
    const Tensor up = random({4, 32}, at::kFloat).requires_grad_();
    const auto ours = torch::autograd::grad({gatedActivation(gate, up, act.name).sum()}, {gate, up});
    const auto theirs = torch::autograd::grad({(act.of(gate) * up).sum()}, {gate, up});
    for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i]));
  }
}

// Whole, in strided halves, and by elements.
TEST_P(ActivationsOnGpu, more_than_2_31_elements) {
  try {
    const std::int64_t rows = (std::int64_t{1} << 20) + 3, columns = 2048;
    const Tensor both = at::randn({rows, 2 * columns}, of(at::kBFloat16));
    const auto [gate, up] = halves(both, 1);
    const auto expectPart = [&](const Tensor& whole, const Tensor& g, const Tensor& u, std::int64_t row) {
      const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
      const Tensor difference = part(whole) - at::silu(part(g)) * part(u);
      EXPECT_LE(difference.abs().max().item<double>(), 0.1) << "row " << row;
    };
    const Tensor strided = gatedActivation(gate, up, "silu"), whole = gatedActivation(both, both, "silu");
    for (const std::int64_t row : {std::int64_t{0}, rows / 2 + 5, rows - 8}) {
      expectPart(strided, gate, up, row);
      expectPart(whole, both, both, row);
    }
    const Tensor odd = both.slice(1, 1), elements = gatedActivation(odd, odd, "silu");
    expectPart(elements, odd, odd, rows - 8);
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

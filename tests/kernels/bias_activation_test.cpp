// kadvise::bias_activation and kadvise::bias_add against the forms written out and against double precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace kadvise::test {

struct BiasActivation : OnDevice {};
struct BiasActivationOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, BiasActivation, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, BiasActivationOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor biasActivation(const Tensor& x, const Tensor& bias, c10::string_view name) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, c10::string_view)>("bias_activation");
  return op.call(x, bias, name);
}

Tensor biasAdd(const Tensor& x, const Tensor& bias, const Tensor& z) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&)>("bias_add");
  return op.call(x, bias, z);
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
};

void expectActivated(const Written& act, const Tensor& x, const Tensor& bias) {
  const Tensor ours = biasActivation(x, bias, act.name), theirs = act.of(x + bias);
  EXPECT_EQ(ours.strides(), theirs.strides());
  expectAsAccurate(ours, theirs, act.of(x.to(at::kDouble) + bias.to(at::kDouble)));
}

void expectAdded(const Tensor& x, const Tensor& bias, const Tensor& z) {
  const Tensor ours = biasAdd(x, bias, z), theirs = x + bias + z;
  EXPECT_EQ(ours.strides(), theirs.strides());
  expectAsAccurate(ours, theirs, x.to(at::kDouble) + bias.to(at::kDouble) + z.to(at::kDouble));
}

TEST_P(BiasActivation, is_as_accurate_as_written_out_for_every_dtype_and_size) {
  for (const auto dtype : kDtypes) {
    for (const Written& act : kActivations) {
      for (const std::int64_t length : {1, 7, 8, 64, 1000, 1023, 4096}) {
        for (const std::int64_t rows : {0, 1, 3, 130}) {
          SCOPED_TRACE(testing::Message()
                       << act.name << " " << toString(dtype) << " " << rows << "x" << length);
          const Tensor x = random({rows, length}, dtype, 0, 2), bias = random({length}, dtype);
          expectActivated(act, x, bias);
          expectAdded(x, bias, random({rows, length}, dtype));
        }
      }
    }
  }
}

using New = std::function<Tensor(at::IntArrayRef)>;  // a tensor of these sizes

struct Operands {
  Tensor x, bias, z;
};
struct Layout {
  const char* name;
  std::function<Operands(const New&)> make;
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return Operands{t({3, 5, 24}), t({24}), t({3, 5, 24})}; }},
      {"one dimension", [](const New& t) { return Operands{t({24}), t({24}), t({24})}; }},
      {"columns of a wider tensor",
       [](const New& t) { return Operands{t({3, 5, 40}).slice(2, 8, 32), t({24}), t({3, 5, 24})}; }},
      {"columns at an odd place",
       [](const New& t) { return Operands{t({3, 5, 25}).slice(2, 1), t({24}), t({3, 5, 24})}; }},
      {"a bias at an odd place",
       [](const New& t) { return Operands{t({3, 5, 24}), t({25}).slice(0, 1), t({3, 5, 24})}; }},
      {"a bias with gaps",
       [](const New& t) { return Operands{t({3, 5, 24}), t({48}).slice(0, 0, 48, 2), t({3, 5, 24})}; }},
      {"rows transposed",
       [](const New& t) { return Operands{t({3, 5, 24}).transpose(0, 1), t({24}), t({5, 3, 24})}; }},
      {"both transposed",
       [](const New& t) {
         return Operands{t({24, 5}).transpose(0, 1), t({24}), t({24, 5}).transpose(0, 1)};
       }},
      {"three grid dimensions",
       [](const New& t) {
         return Operands{t({4, 2, 3, 24}).permute({2, 0, 1, 3}), t({24}), t({3, 4, 2, 24})};
       }},
      {"channels last",
       [](const New& t) {
         const auto last = at::MemoryFormat::ChannelsLast;
         return Operands{t({2, 3, 4, 5}).contiguous(last), t({5}), t({2, 3, 4, 5}).contiguous(last)};
       }},
      {"an expanded z",
       [](const New& t) { return Operands{t({3, 5, 24}), t({24}), t({24}).expand({3, 5, 24})}; }},
      {"a z that is broadcast", [](const New& t) { return Operands{t({3, 5, 24}), t({24}), t({5, 1})}; }},
      {"an x that is broadcast", [](const New& t) { return Operands{t({24}), t({24}), t({3, 5, 24})}; }},
      {"one number as a bias", [](const New& t) { return Operands{t({3, 24}), t({1}), t({3, 24})}; }},
      {"a bias of two dimensions", [](const New& t) { return Operands{t({3, 24}), t({3, 24}), t({3, 24})}; }},
      {"scalars", [](const New& t) { return Operands{t({}), t({}), t({})}; }},
      {"nothing", [](const New& t) { return Operands{t({3, 0, 24}), t({24}), t({3, 0, 24})}; }},
      {"rows of nothing", [](const New& t) { return Operands{t({3, 0}), t({0}), t({3, 0})}; }},
  };
  return all;
}

TEST_P(BiasActivation, any_layout_gives_the_values_and_strides_of_torch) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      expectActivated(kActivations[1], o.x, o.bias);
      expectAdded(o.x, o.bias, o.z);
    }
  }
}

TEST_P(BiasActivation, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kHalf); });
    const Tensor x = onMeta(o.x), bias = onMeta(o.bias), z = onMeta(o.z);
    const std::pair<Tensor, Tensor> pairs[] = {
        {biasActivation(o.x, o.bias, "relu"), biasActivation(x, bias, "relu")},
        {biasAdd(o.x, o.bias, o.z), biasAdd(x, bias, z)}};
    for (const auto& [real, meta] : pairs) {
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides());
      EXPECT_EQ(real.scalar_type(), meta.scalar_type());
    }
  }
}

TEST_P(BiasActivation, of_extreme_values_is_that_of_torch) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor values = at::tensor(
      {0.0, 1e4, -1e4, 88.0, -88.0, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 1e-8},
      at::kDouble);
  for (const auto dtype : kDtypes) {
    const Tensor bias = values.to(of(dtype)),
                 x = values.to(of(dtype)).unsqueeze(1).expand({9, 9}).contiguous();
    for (const Written& act : kActivations) {
      SCOPED_TRACE(testing::Message() << act.name << " " << toString(dtype));
      const Tensor ours = biasActivation(x, bias, act.name), theirs = act.of(x + bias);
      EXPECT_TRUE(at::equal(ours.isnan(), theirs.isnan())) << ours << theirs;
      EXPECT_TRUE(at::equal(ours.isinf(), theirs.isinf())) << ours << theirs;
      EXPECT_TRUE(at::allclose(ours, theirs, 1e-2, 1e-6, /*equal_nan=*/true)) << ours << theirs;
    }
  }
}

TEST_P(BiasActivation, of_other_dtypes_is_done_by_torch) {
  const Tensor low = random({4, 32}, at::kBFloat16), bias = random({32}, at::kFloat);
  EXPECT_TRUE(at::equal(biasActivation(low, bias, "relu"), at::relu(low + bias)));
  EXPECT_TRUE(at::equal(biasAdd(low, bias, low), low + bias + low));
  const Tensor precise = random({4, 32}, at::kDouble), wideBias = random({32}, at::kDouble);
  EXPECT_TRUE(at::equal(biasActivation(precise, wideBias, "gelu"), at::gelu(precise + wideBias)));
}

TEST_P(BiasActivation, refuses_what_torch_refuses_and_names_it_does_not_know) {
  const Tensor x = random({4, 32}, at::kFloat), shorter = random({31}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { biasActivation(x, shorter, "relu"); }), outcomeOf([&] { at::add(x, shorter); }));
  EXPECT_NE(outcomeOf([&] { biasAdd(x, shorter, x); }), "no error");
  const std::string message = outcomeOf([&] { biasActivation(x, random({32}, at::kFloat), "tanh"); });
  EXPECT_NE(message.find("no activation 'tanh'"), std::string::npos) << message;
}

TEST_P(BiasActivation, has_the_gradients_of_the_form_written_out) {
  const Tensor x = random({4, 32}, at::kFloat).requires_grad_(),
               z = random({4, 32}, at::kFloat).requires_grad_();
  const Tensor bias = random({32}, at::kFloat).requires_grad_();
  const auto expectAlike = [&](const Tensor& ours, const Tensor& theirs, const std::vector<Tensor>& inputs) {
    const auto a = torch::autograd::grad({ours.square().sum()}, inputs);
    const auto b = torch::autograd::grad({theirs.square().sum()}, inputs);
    for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::allclose(a[i], b[i])) << "input " << i;
  };
  for (const Written& act : kActivations) {
    SCOPED_TRACE(act.name);
    expectAlike(biasActivation(x, bias, act.name), act.of(x + bias), {x, bias});
  }
  expectAlike(biasAdd(x, bias, z), x + bias + z, {x, bias, z});
}

// Whole, in strided rows, and by elements.
TEST_P(BiasActivationOnGpu, more_than_2_31_elements) {
  try {
    const std::int64_t rows = (std::int64_t{1} << 20) + 3, columns = 2048;
    const Tensor wider = at::randn({rows, columns + 8}, of(at::kBFloat16));
    const Tensor bias = random({columns}, at::kBFloat16);
    for (const std::int64_t start : {0, 8, 1}) {
      const Tensor x = wider.slice(1, start, start + columns);
      const Tensor activated = biasActivation(x, bias, "silu"), sum = biasAdd(x, bias, x);
      for (const std::int64_t row : {std::int64_t{0}, rows / 2 + 5, rows - 8}) {
        SCOPED_TRACE(testing::Message() << "from column " << start << ", row " << row);
        const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
        expectAsAccurate(part(activated), at::silu(part(x) + bias),
                         at::silu(part(x).to(at::kDouble) + bias.to(at::kDouble)));
        expectAsAccurate(part(sum), part(x) + bias + part(x),
                         part(x).to(at::kDouble) * 2 + bias.to(at::kDouble));
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

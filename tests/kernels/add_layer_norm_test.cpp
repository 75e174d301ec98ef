// kadvise::add_layer_norm against at::add + at::layer_norm: results, contract, and what it must leave to them.
// Every case runs for the CPU and for a GPU.
#include "tests/kernels/kernels.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>

#include <functional>
#include <limits>

namespace kadvise::test {
namespace {

using at::Tensor;

struct OnDevice : testing::TestWithParam<const char*> {
  void SetUp() override {
    if (GetParam() == std::string("cuda") && !hasCuda()) GTEST_SKIP() << "SKIPPED: no CUDA device, nothing was tested";
    at::manual_seed(7);
  }
  at::TensorOptions of(at::ScalarType dtype) const { return at::TensorOptions(at::Device(GetParam())).dtype(dtype); }
  bool isCuda() const { return GetParam() == std::string("cuda"); }

  // Values are drawn on the CPU in double, so that both devices and all dtypes see the same ones.
  Tensor random(at::IntArrayRef sizes, at::ScalarType dtype, double mean = 0, double deviation = 1) const {
    return (at::randn(sizes, at::kDouble) * deviation + mean).to(of(dtype));
  }
};

INSTANTIATE_TEST_SUITE_P(AddLayerNorm, OnDevice, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

constexpr at::ScalarType kDtypes[] = {at::kFloat, at::kHalf, at::kBFloat16};

double roundingUnit(at::ScalarType dtype) {
  return dtype == at::kFloat ? 0x1p-24 : dtype == at::kHalf ? 0x1p-11 : 0x1p-8;
}

struct Error {
  double rms, max;
  double typical, largest;  // magnitudes of the exact values
};

Error errorOf(const Tensor& result, const Tensor& exact) {
  const Tensor difference = (result.to(at::kDouble) - exact).abs();
  const auto root = [](const Tensor& t) { return t.square().mean().sqrt().item<double>(); };
  return {root(difference), difference.max().item<double>(), root(exact), exact.abs().max().item<double>()};
}

// The sum bit for bit; the norm as near the exact value as torch's own. A row has one scale, whose rounding its elements
// share, so that few rows may have luck: hence the roundings allowed on top.
void expectAsAccurate(const Tensor& x, const Tensor& residual, at::IntArrayRef shape, const Maybe& weight,
                      const Maybe& bias) {
  const auto [normalized, sum] = addLayerNorm(x, residual, shape, weight, bias);
  const auto [torchNormalized, torchSum] = composition(x, residual, shape, weight, bias);
  ASSERT_TRUE(at::equal(sum, torchSum));
  const auto wide = [](const Maybe& t) { return t && t->defined() ? Maybe(t->to(at::kDouble)) : Maybe(); };
  const Tensor exact = at::layer_norm(torchSum.to(at::kDouble), shape, wide(weight), wide(bias), 1e-5);
  const Error ours = errorOf(normalized, exact), theirs = errorOf(torchNormalized, exact);
  const double unit = roundingUnit(x.scalar_type());
  EXPECT_LE(ours.rms, 1.25 * theirs.rms + 2 * unit * ours.typical) << "torch " << theirs.rms;
  EXPECT_LE(ours.max, 1.5 * theirs.max + 3 * unit * ours.largest) << "torch " << theirs.max;
}

// ---- results

// One length at least for every kernel that schedule.h can choose, and the lengths around its borders.
std::vector<std::int64_t> lengths(bool cuda) {
  std::vector<std::int64_t> all = {1, 3, 7, 8, 32, 63, 64, 127, 128, 129, 256, 257, 512, 768, 1000, 1023, 1024, 1032, 4097};
  if (cuda) all.insert(all.end(), {4096, 5120, 8192, 8200, 8209, 16384, 20001, 60000, 116000, 116001, 131072, 300001});
  return all;
}

TEST_P(OnDevice, is_as_accurate_as_torch_for_every_row_length_and_dtype) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t length : lengths(isCuda())) {
      for (const std::int64_t rows : {1, 5, 67}) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << rows << " x " << length);
        const Tensor weight = random({length}, dtype, 1), bias = random({length}, dtype);
        expectAsAccurate(random({rows, length}, dtype), random({rows, length}, dtype), {length}, weight, bias);
      }
    }
  }
}

// Over many rows luck evens out, and the bound is strict.
TEST_P(OnDevice, is_as_accurate_as_torch_on_average) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t length : {24, 129, 1000, 1023, 4096}) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << length);
      const Tensor x = random({500, length}, dtype), residual = random({500, length}, dtype);
      const auto [normalized, sum] = addLayerNorm(x, residual, {length});
      const Tensor exact = at::layer_norm(sum.to(at::kDouble), {length}, {}, {}, 1e-5);
      EXPECT_LE(errorOf(normalized, exact).rms, 1.2 * errorOf(at::layer_norm(sum, {length}), exact).rms);
    }
  }
}

TEST_P(OnDevice, is_as_accurate_as_torch_whatever_the_values) {
  const std::int64_t rows = 9, length = 1024;
  for (const auto dtype : kDtypes) {
    const Tensor weight = random({length}, dtype, 1), bias = random({length}, dtype);
    Tensor outlier = random({rows, length}, dtype);
    outlier.select(1, 0).fill_(1e4);
    const std::pair<const char*, Tensor> inputs[] = {
        {"mean 1e4, deviation 1", random({rows, length}, dtype, 1e4, 1)},
        {"deviation 1e-3", random({rows, length}, dtype, 0, 1e-3)},
        {"large", random({rows, length}, dtype, 0, 1e4)},
        {"one outlier a row", outlier},
        {"constant", at::full({rows, length}, 3.7, of(dtype))},
        {"zero", at::zeros({rows, length}, of(dtype))},
    };
    for (const auto& [name, x] : inputs) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << name);
      expectAsAccurate(x, at::zeros_like(x), {length}, weight, bias);
      expectAsAccurate(x, random({rows, length}, dtype), {length}, weight, bias);
    }
  }
}

TEST_P(OnDevice, takes_weight_or_bias_or_neither) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t length : {96, 1001}) {
      const Tensor x = random({6, length}, dtype), residual = random({6, length}, dtype);
      const Tensor weight = random({length}, dtype), bias = random({length}, dtype);
      expectAsAccurate(x, residual, {length}, {}, {});
      expectAsAccurate(x, residual, {length}, weight, {});
      expectAsAccurate(x, residual, {length}, {}, bias);
      expectAsAccurate(x, residual, {length}, Tensor(), Tensor());
    }
  }
}

TEST_P(OnDevice, normalises_over_several_dimensions) {
  const Tensor x = random({3, 4, 5, 6}, at::kFloat), residual = random({3, 4, 5, 6}, at::kFloat);
  for (const std::int64_t from : {0, 1, 2, 3}) {
    const auto shape = x.sizes().slice(from);
    expectAsAccurate(x, residual, shape, random(shape, at::kFloat), random(shape, at::kFloat));
  }
}

TEST_P(OnDevice, a_row_with_nan_or_infinity_is_nan_and_no_other_row_is) {
  const double nan = std::numeric_limits<double>::quiet_NaN(), infinity = std::numeric_limits<double>::infinity();
  for (const auto dtype : kDtypes) {
    for (const double bad : {nan, infinity, -infinity}) {
      for (const std::int64_t length : {7, 130, 1024, 5000}) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << bad << " " << length);
        Tensor x = random({4, length}, dtype), residual = random({4, length}, dtype);
        x[1][length / 2] = bad;
        residual[3][0] = bad;
        const auto [normalized, sum] = addLayerNorm(x, residual, {length});
        const auto [torchNormalized, torchSum] = composition(x, residual, {length});
        EXPECT_TRUE(at::equal(normalized.isnan(), torchNormalized.isnan()));
        EXPECT_TRUE(at::equal(sum.isnan(), torchSum.isnan()));
        EXPECT_TRUE(at::equal(sum.isinf(), torchSum.isinf()));
      }
    }
  }
}

TEST_P(OnDevice, a_mean_in_range_does_not_overflow_on_the_way) {
  for (const double deviation : {1e14, 1e34}) {
    const Tensor x = random({2, 4096}, at::kFloat, 1e38, deviation);
    EXPECT_TRUE(std::get<0>(addLayerNorm(x, at::zeros_like(x), {4096})).isfinite().all().item<bool>()) << deviation;
  }
}

TEST_P(OnDevice, gives_the_same_bits_every_time) {
  for (const std::int64_t length : {100, 1000, 10000, 200000}) {
    const Tensor x = random({3, length}, at::kFloat), residual = random({3, length}, at::kFloat);
    const auto [first, sum] = addLayerNorm(x, residual, {length});
    EXPECT_TRUE(at::equal(first, std::get<0>(addLayerNorm(x, residual, {length}))));
  }
}

// ---- layouts

struct Layout {
  const char* name;
  std::function<std::pair<Tensor, Tensor>(const std::function<Tensor(at::IntArrayRef)>&)> make;  // last dim: 24
};

const std::vector<Layout>& layouts() {
  using New = std::function<Tensor(at::IntArrayRef)>;
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 5, 24})); }},
      {"one dimension", [](const New& t) { return std::pair(t({24}), t({24})); }},
      {"storage offset", [](const New& t) { return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({3, 5, 24})); }},
      {"both at an offset", [](const New& t) {
         return std::pair(t({361}).slice(0, 1).view({3, 5, 24}), t({363}).slice(0, 3).view({3, 5, 24})); }},
      {"columns of a wider tensor", [](const New& t) {
         return std::pair(t({3, 5, 40}).slice(2, 8, 32), t({3, 5, 25}).slice(2, 1)); }},
      {"every second row", [](const New& t) { return std::pair(t({6, 24}).slice(0, 0, 6, 2), t({3, 24})); }},
      {"first token", [](const New& t) { return std::pair(t({3, 5, 24}).select(1, 0), t({3, 24})); }},
      {"transposed batch", [](const New& t) {
         return std::pair(t({3, 5, 24}).transpose(0, 1), t({3, 5, 24}).transpose(0, 1)); }},
      {"one transposed", [](const New& t) { return std::pair(t({3, 5, 24}).transpose(0, 1), t({5, 3, 24})); }},
      {"the other transposed", [](const New& t) { return std::pair(t({5, 3, 24}), t({3, 5, 24}).transpose(0, 1)); }},
      {"three grid dimensions", [](const New& t) {
         return std::pair(t({4, 2, 3, 24}).permute({2, 0, 1, 3}), t({2, 3, 4, 24}).permute({1, 2, 0, 3})); }},
      {"inner transposed", [](const New& t) { return std::pair(t({3, 24, 5}).transpose(1, 2), t({3, 5, 24})); }},
      {"both inner transposed", [](const New& t) {
         return std::pair(t({3, 24, 5}).transpose(1, 2), t({3, 24, 5}).transpose(1, 2)); }},
      {"inner step", [](const New& t) { return std::pair(t({3, 48}).slice(1, 0, 48, 2), t({3, 24})); }},
      {"vector broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({24})); }},
      {"positions broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({1, 5, 24})); }},
      {"batch broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 1, 24})); }},
      {"x broadcast", [](const New& t) { return std::pair(t({5, 24}), t({3, 5, 24})); }},
      {"each broadcast", [](const New& t) { return std::pair(t({3, 1, 24}), t({1, 5, 24})); }},
      {"column broadcast", [](const New& t) { return std::pair(t({3, 5, 24}), t({3, 5, 1})); }},
      {"scalar tensor", [](const New& t) { return std::pair(t({3, 5, 24}), t({})); }},
      {"expanded", [](const New& t) { return std::pair(t({5, 24}).expand({3, 5, 24}), t({3, 1, 24}).expand({3, 5, 24})); }},
      {"expanded both alike", [](const New& t) {
         return std::pair(t({5, 24}).expand({3, 5, 24}), t({5, 24}).expand({3, 5, 24})); }},
      {"dimensions of size 1", [](const New& t) {
         return std::pair(t({3, 1, 24}).transpose(0, 1), t({1, 3, 1, 24}).select(2, 0)); }},
      {"no rows", [](const New& t) { return std::pair(t({0, 24}), t({0, 24})); }},
      {"no rows, broadcast", [](const New& t) { return std::pair(t({0, 5, 24}), t({5, 24})); }},
  };
  return all;
}

TEST_P(OnDevice, any_layout_gives_the_values_and_strides_of_torch) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto [x, residual] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      const Tensor weight = random({48}, dtype).slice(0, 0, 48, 2), bias = random({25}, dtype).slice(0, 1);
      const auto [normalized, sum] = addLayerNorm(x, residual, {24}, weight, bias);
      const auto [torchNormalized, torchSum] = composition(x, residual, {24}, weight, bias);
      EXPECT_EQ(sum.strides(), torchSum.strides());
      EXPECT_EQ(normalized.sizes(), torchNormalized.sizes());
      EXPECT_EQ(normalized.strides(), torchNormalized.strides());
      if (sum.numel() > 0) expectAsAccurate(x, residual, {24}, weight, bias);
    }
  }
}

TEST_P(OnDevice, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const auto [x, residual] = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kFloat); });
    // .to(meta) would lose the strides of views.
    const auto meta = [](const Tensor& t) {
      return at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kMeta));
    };
    const auto [normalized, sum] = addLayerNorm(x, residual, {24});
    const auto [metaNormalized, metaSum] = addLayerNorm(meta(x), meta(residual).to(at::kFloat), {24});
    for (const auto& [real, shape] : {std::pair(normalized, metaNormalized), std::pair(sum, metaSum)}) {
      EXPECT_TRUE(shape.is_meta());
      EXPECT_EQ(real.sizes(), shape.sizes());
      EXPECT_EQ(real.strides(), shape.strides());
      EXPECT_EQ(real.scalar_type(), shape.scalar_type());
    }
  }
  const auto mixed = addLayerNorm(at::empty({2, 8}, of(at::kHalf).device(at::kMeta)),
                                  at::empty({2, 8}, of(at::kFloat).device(at::kMeta)), {8});
  EXPECT_EQ(std::get<1>(mixed).scalar_type(), at::kFloat);
}

TEST_P(OnDevice, many_short_rows) {
  const std::int64_t rows = isCuda() ? 20'000'003 : 300'003;
  const Tensor x = at::randn({rows, 8}, of(at::kBFloat16)), residual = at::randn({rows, 8}, of(at::kBFloat16));
  const auto [normalized, sum] = addLayerNorm(x, residual, {8});
  const auto [torchNormalized, torchSum] = composition(x, residual, {8});
  EXPECT_TRUE(at::equal(sum, torchSum));
  EXPECT_LE((normalized - torchNormalized).abs().max().item<double>(), 0.02);
}

// ---- contract

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

// The message of the error, or that there was none.
std::string outcomeOf(const std::function<void()>& call) {
  try {
    call();
  } catch (const c10::Error& error) {
    return error.what_without_backtrace();
  }
  return "no error";
}

TEST_P(OnDevice, refuses_what_torch_refuses_with_its_words) {
  const Tensor x = random({4, 32}, at::kFloat), other = random({4, 31}, at::kFloat), ints = x.to(at::kLong);
  const Tensor weight = random({31}, at::kFloat), halfWeight = random({32}, at::kHalf);
  const std::function<Results(decltype(addLayerNorm)*)> calls[] = {
      [&](auto* f) { return f(x, other, {32}, {}, {}, 1e-5); },     [&](auto* f) { return f(x, x, {31}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {}, {}, {}, 1e-5); },           [&](auto* f) { return f(x, x, {2, 4, 32}, {}, {}, 1e-5); },
      [&](auto* f) { return f(x, x, {32}, weight, {}, 1e-5); },     [&](auto* f) { return f(x, x, {32}, {}, weight, 1e-5); },
      [&](auto* f) { return f(x, x, {32}, halfWeight, {}, 1e-5); }, [&](auto* f) { return f(ints, ints, {32}, {}, {}, 1e-5); }};
  for (std::size_t i = 0; i < std::size(calls); ++i) {
    const std::string ours = outcomeOf([&] { calls[i](&addLayerNorm); });
    EXPECT_EQ(ours, outcomeOf([&] { calls[i](&composition); })) << "call " << i;
    EXPECT_NE(ours, "no error") << "call " << i;
  }
}

TEST_P(OnDevice, gradients_are_those_of_torch) {
  const auto gradients = [&](auto* operation) {
    at::manual_seed(3);
    std::vector<Tensor> inputs = {random({4, 32}, at::kFloat), random({4, 32}, at::kFloat), random({32}, at::kFloat),
                                  random({32}, at::kFloat)};
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

// ---- more elements than 32 bits count

struct OnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(AddLayerNorm, OnGpu, testing::Values("cuda"), [](const auto&) { return std::string("cuda"); });

// The last rows, whose offsets need 64 bits, against the same rows alone.
TEST_P(OnGpu, more_than_2_31_elements_in_many_rows) {
  for (const std::int64_t length : {4096, 4097}) {
    try {
      const std::int64_t rows = (std::int64_t{1} << 31) / length + 9;
      const Tensor x = at::randn({rows, length}, of(at::kBFloat16)), residual = at::randn({rows, length}, of(at::kBFloat16));
      const auto [normalized, sum] = addLayerNorm(x, residual, {length});
      for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 8}) {
        SCOPED_TRACE(testing::Message() << "row " << row << " of length " << length);
        const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
        const auto [torchNormalized, torchSum] = composition(part(x), part(residual), {length});
        EXPECT_TRUE(at::equal(part(sum), torchSum));
        EXPECT_LE((part(normalized) - torchNormalized).abs().max().item<double>(), 0.04);
      }
    } catch (const c10::OutOfMemoryError&) {
      GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
    }
  }
}

TEST_P(OnGpu, more_than_2_31_elements_in_one_row) {
  try {
    const std::int64_t length = (std::int64_t{1} << 31) + 11;
    const Tensor x = at::randn({1, length}, of(at::kBFloat16));
    const Tensor residual = at::full({1, length}, 0.5, of(at::kBFloat16));
    const auto [normalized, sum] = addLayerNorm(x, residual, {length});
    // Far fewer elements give the same mean and deviation to three digits; every one is then checked.
    const Tensor sample = sum.slice(1, 0, 1 << 26).to(at::kFloat);
    const double mean = sample.mean().item<double>(), deviation = sample.std().item<double>();
    for (const std::int64_t begin : {std::int64_t{0}, length / 2, length - (1 << 20)}) {
      const auto part = [&](const Tensor& t) { return t.slice(1, begin, begin + (1 << 20)).to(at::kFloat); };
      EXPECT_TRUE(at::equal(part(sum), part(x + residual)));
      EXPECT_LE((part(normalized) - (part(sum) - mean) / deviation).abs().max().item<double>(), 0.03);
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

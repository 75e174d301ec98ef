// kadvise::linear_add against linear and add, and against double precision.
#include "tests/kernels/linear_epilogue.h"

#include <ATen/Context.h>
#include <torch/csrc/autograd/autograd.h>

#include <thread>

namespace kadvise::test {

struct LinearAdd : OnDevice {};
struct LinearAddOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, LinearAdd, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, LinearAddOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor linearAdd(const Tensor& x, const Tensor& weight, const Maybe& bias, const Tensor& z,
                 const std::optional<std::string_view>& into = {}) {
  static const auto op = operatorNamed<Tensor(const Tensor&, const Tensor&, const Maybe&, const Tensor&,
                                              const std::optional<std::string_view>&)>("linear_add");
  return op.call(x, weight, bias, z, into);
}

Tensor exactly(const Tensor& x, const Tensor& weight, const Maybe& bias, const Tensor& z) {
  return at::linear(x.to(at::kDouble), weight.to(at::kDouble), wide(bias)) + z.to(at::kDouble);
}

void expectSum(const Tensor& x, const Tensor& weight, const Maybe& bias, const Tensor& z) {
  expectAsAccurateProduct(linearAdd(x, weight, bias, z), at::linear(x, weight, bias) + z,
                          exactly(x, weight, bias, z));
}

TEST_P(LinearAdd, is_as_accurate_as_written_out_for_every_dtype_and_layout) {
  for (const auto dtype : kDtypes) {
    for (const LinearLayout& layout : linearLayouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const auto o = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      const Tensor z = random(at::linear(o.x, o.weight).sizes(), dtype);
      expectSum(o.x, o.weight, o.bias, z);
      expectSum(o.x, o.weight, {}, z);
    }
  }
}

TEST_P(LinearAdd, takes_what_is_added_in_any_layout) {
  for (const auto dtype : kDtypes) {
    const Tensor x = random({3, 5, 64}, dtype), weight = random({128, 64}, dtype),
                 bias = random({128}, dtype);
    const std::pair<const char*, Tensor> added[] = {
        {"contiguous", random({3, 5, 128}, dtype)},
        {"columns of a wider tensor", random({3, 5, 160}, dtype).slice(2, 16, 144)},
        {"columns at an odd place", random({3, 5, 129}, dtype).slice(2, 1)},
        {"transposed", random({5, 3, 128}, dtype).transpose(0, 1)},
        {"columns first", random({3, 128, 5}, dtype).transpose(1, 2)},
        {"every second column", random({3, 5, 256}, dtype).slice(2, 0, 256, 2)},
        {"expanded", random({128}, dtype).expand({3, 5, 128})},
        {"one row for each batch", random({3, 1, 128}, dtype)},
        {"one row", random({128}, dtype)},
        {"a number", random({}, dtype)},
        {"one dimension more", random({2, 1, 1, 128}, dtype)},
    };
    for (const auto& [name, z] : added) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << name);
      expectSum(x, weight, bias, z);
    }
  }
}

TEST_P(LinearAdd, what_is_written_in_place_keeps_its_size) {
  const Tensor x = random({3, 5, 64}, at::kFloat), weight = random({128, 64}, at::kFloat);
  const Tensor row = random({128}, at::kFloat), more = random({2, 3, 5, 128}, at::kFloat);
  EXPECT_TRUE(at::equal(linearAdd(x, weight, {}, row, "product"), linearAdd(x, weight, {}, row)));
  EXPECT_TRUE(at::equal(linearAdd(x, weight, {}, more, "z"), linearAdd(x, weight, {}, more)));
  EXPECT_THROW(linearAdd(x, weight, {}, more, "product"), c10::Error);
  EXPECT_THROW(linearAdd(x, weight, {}, row, "z"), c10::Error);
  EXPECT_THROW(linearAdd(x, weight, {}, row, "x"), c10::Error);
}

TEST_P(LinearAdd, leaves_what_is_added_as_it_is) {
  const Tensor z = random({5, 128}, at::kBFloat16), before = z.clone();
  const Tensor result = linearAdd(random({5, 64}, at::kBFloat16), random({128, 64}, at::kBFloat16), {}, z);
  EXPECT_TRUE(at::equal(z, before));
  EXPECT_NE(result.data_ptr(), z.data_ptr());
}

TEST_P(LinearAdd, other_and_mixed_dtypes_are_torchs) {
  const Tensor x = random({5, 64}, at::kBFloat16), weight = random({128, 64}, at::kBFloat16);
  const Tensor z = random({5, 128}, at::kFloat);
  EXPECT_TRUE(at::equal(linearAdd(x, weight, {}, z), at::linear(x, weight) + z));
  EXPECT_EQ(linearAdd(x, weight, {}, z).scalar_type(), at::kFloat);
  const Tensor precise = random({5, 64}, at::kDouble), factor = random({128, 64}, at::kDouble);
  EXPECT_TRUE(at::equal(linearAdd(precise, factor, {}, z), at::linear(precise, factor) + z));
}

TEST_P(LinearAdd, meta_tensors_give_the_shapes_of_real_ones) {
  const Tensor x = random({3, 5, 64}, at::kHalf).transpose(0, 1), weight = random({128, 64}, at::kHalf);
  const Tensor bias = random({128}, at::kHalf), z = random({3, 5, 128}, at::kHalf).transpose(0, 1);
  const Tensor real = linearAdd(x, weight, bias, z);
  const Tensor meta = linearAdd(onMeta(x), onMeta(weight), onMeta(bias), onMeta(z));
  EXPECT_TRUE(meta.is_meta());
  EXPECT_EQ(real.sizes(), meta.sizes());
  EXPECT_EQ(real.strides(), meta.strides());
  EXPECT_EQ(real.scalar_type(), meta.scalar_type());
}

TEST_P(LinearAdd, refuses_what_torch_refuses) {
  const Tensor x = random({3, 64}, at::kFloat), z = random({3, 16}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { linearAdd(x, random({16, 63}, at::kFloat), {}, z); }),
            outcomeOf([&] { at::linear(x, random({16, 63}, at::kFloat)); }));
  const Tensor weight = random({16, 64}, at::kFloat), other = random({4, 16}, at::kFloat);
  EXPECT_EQ(outcomeOf([&] { linearAdd(x, weight, {}, other); }),
            outcomeOf([&] { at::add(at::linear(x, weight), other); }));
}

TEST_P(LinearAdd, has_the_gradients_of_the_form_written_out) {
  std::vector<Tensor> inputs = {random({3, 64}, at::kFloat), random({16, 64}, at::kFloat),
                                random({16}, at::kFloat), random({3, 16}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const Tensor ours = linearAdd(inputs[0], inputs[1], inputs[2], inputs[3]);
  const Tensor theirs = at::linear(inputs[0], inputs[1], inputs[2]) + inputs[3];
  const auto a = torch::autograd::grad({ours.square().sum()}, inputs);
  const auto b = torch::autograd::grad({theirs.square().sum()}, inputs);
  for (std::size_t i = 0; i < a.size(); ++i) EXPECT_TRUE(at::allclose(a[i], b[i], 1e-4, 1e-5));
}

// ---- settings of torch that decide about precision

struct Tf32 {
  explicit Tf32(bool allowed) { at::globalContext().setAllowTF32CuBLAS(allowed); }
  ~Tf32() { at::globalContext().setAllowTF32CuBLAS(false); }
};

TEST_P(LinearAddOnGpu, float_is_multiplied_in_tf32_only_where_the_user_allows_it) {
  const Tensor x = random({256, 1024}, at::kFloat), weight = random({512, 1024}, at::kFloat);
  const Tensor z = random({256, 512}, at::kFloat), exact = exactly(x, weight, {}, z);
  const auto errorWith = [&](bool allowed) {
    const Tf32 setting(allowed);
    const Error error = errorOf(linearAdd(x, weight, {}, z), exact);
    return error.rms / error.typical;
  };
  EXPECT_LT(errorWith(false), 0x1p-18);
  EXPECT_GT(errorWith(true), 0x1p-16);
  EXPECT_LT(errorWith(false), 0x1p-18);  // not the plan of the other setting
}

TEST_P(LinearAddOnGpu, sums_of_parts_are_kept_in_float_where_the_user_wants_it) {
  // Few results of long sums: where a library would split them.
  const Tensor x = random({8, 16384}, at::kHalf, 0, 0.1), weight = random({64, 16384}, at::kHalf, 0, 0.1);
  const Tensor z = random({8, 64}, at::kHalf);
  const Tensor theirs = at::linear(x, weight) + z, exact = exactly(x, weight, {}, z);
  at::Context& settings = at::globalContext();
  for (const bool split : {true, false}) {
    settings.setAllowFP16ReductionCuBLAS(false, split);
    expectAsAccurateProduct(linearAdd(x, weight, {}, z), theirs, exact);
  }
  settings.setAllowFP16ReductionCuBLAS(true);
  expectAsAccurateProduct(linearAdd(x, weight, {}, z), theirs, exact);
}

// ---- many callers, many elements

TEST_P(LinearAddOnGpu, threads_may_share_it) {
  const Tensor weight = random({96, 64}, at::kBFloat16), bias = random({96}, at::kBFloat16);
  std::vector<std::string> outcomes(8);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < outcomes.size(); ++t) {
    threads.emplace_back([&, t] {
      outcomes[t] = outcomeOf([&] {
        for (std::int64_t rows = 1; rows < 60; ++rows) {
          const Tensor x = at::ones({rows + static_cast<std::int64_t>(t % 3), 64}, of(at::kBFloat16));
          const Tensor z = at::zeros({x.size(0), 96}, of(at::kBFloat16));
          const Tensor ours = linearAdd(x, weight, bias, z), theirs = at::linear(x, weight, bias);
          TORCH_CHECK(at::allclose(ours, theirs, 0.05, 0.05), "wrong with ", rows, " rows");
        }
      });
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const std::string& outcome : outcomes) EXPECT_EQ(outcome, "no error");
}

TEST_P(LinearAddOnGpu, more_than_2_31_elements) {
  try {
    const std::int64_t rows = (std::int64_t{1} << 20) + 3;
    const Tensor x = at::randn({rows, 64}, of(at::kBFloat16)), weight = random({2048, 64}, at::kBFloat16);
    const Tensor z = at::randn({rows, 2048}, of(at::kBFloat16));
    const Tensor sum = linearAdd(x, weight, {}, z);
    for (const std::int64_t row : {std::int64_t{0}, rows / 2 + 5, rows - 8}) {
      const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
      expectAsAccurateProduct(part(sum), at::linear(part(x), weight) + part(z),
                              exactly(part(x), weight, {}, part(z)));
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

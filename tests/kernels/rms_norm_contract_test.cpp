// What kadvise::rms_norm and add_rms_norm promise beside their results: layouts, dtypes, errors, gradients.
#include "tests/kernels/rms_norm.h"

#include <ATen/autocast_mode.h>
#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {
namespace {

using New = std::function<Tensor(at::IntArrayRef)>;  // a tensor of these sizes

struct Layout {
  const char* name;
  std::function<Tensor(const New&)> make;  // 24 columns
};

const std::vector<Layout>& layouts() {
  static const std::vector<Layout> all = {
      {"contiguous", [](const New& t) { return t({3, 5, 24}); }},
      {"one dimension", [](const New& t) { return t({24}); }},
      {"storage offset", [](const New& t) { return t({361}).slice(0, 1).view({3, 5, 24}); }},
      {"columns of a wider tensor", [](const New& t) { return t({3, 5, 40}).slice(2, 8, 32); }},
      {"columns at an odd place", [](const New& t) { return t({3, 5, 25}).slice(2, 1); }},
      {"every second row", [](const New& t) { return t({6, 24}).slice(0, 0, 6, 2); }},
      {"first token", [](const New& t) { return t({3, 5, 24}).select(1, 0); }},
      {"heads before positions", [](const New& t) { return t({2, 5, 3, 24}).transpose(1, 2); }},
      {"heads of a merged projection",
       [](const New& t) { return t({2, 5, 96}).slice(2, 24, 72).unflatten(2, {2, 24}).transpose(1, 2); }},
      {"three grid dimensions", [](const New& t) { return t({4, 2, 3, 24}).permute({2, 0, 1, 3}); }},
      {"inner transposed", [](const New& t) { return t({3, 24, 5}).transpose(1, 2); }},
      {"inner step", [](const New& t) { return t({3, 48}).slice(1, 0, 48, 2); }},
      {"dimensions of size 1", [](const New& t) { return t({3, 1, 24}).transpose(0, 1); }},
      {"no rows", [](const New& t) { return t({0, 24}); }},
  };
  return all;
}

// A dimension of size 1 may have any stride.
std::vector<std::int64_t> stridesThatCount(const Tensor& t) {
  std::vector<std::int64_t> out;
  for (std::int64_t d = 0; d < t.dim(); ++d)
    if (t.size(d) != 1) out.push_back(t.stride(d));
  return out;
}

TEST_P(RmsNorm, any_layout_gives_the_values_and_strides_of_the_form_written_out) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << layout.name);
      const Tensor x = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      const Tensor weight = random({48}, dtype).slice(0, 0, 48, 2);
      for (const Rounds rounds : {Rounds::AfterWeight, Rounds::BeforeWeight}) {
        const Tensor ours = rmsNorm(x, weight, rounds), theirs = writtenOut(x, weight, rounds);
        EXPECT_EQ(stridesThatCount(ours), stridesThatCount(theirs));
        expectRmsNorm(x, weight, rounds);
      }
    }
  }
}

TEST_P(RmsNorm, the_sum_takes_any_layout_and_broadcasts) {
  for (const auto dtype : kDtypes) {
    for (const Layout& layout : layouts()) {
      const Tensor x = layout.make([&](at::IntArrayRef sizes) { return random(sizes, dtype); });
      for (const Tensor& residual : {random(x.sizes(), dtype), random({24}, dtype), random({1}, dtype), x}) {
        SCOPED_TRACE(testing::Message()
                     << toString(dtype) << " " << layout.name << " + " << residual.sizes());
        const Tensor weight = random({25}, dtype).slice(0, 1), torchSum = x + residual;
        const auto [normalized, sum] = addRmsNorm(x, residual, weight, Rounds::AfterWeight);
        EXPECT_EQ(sum.strides(), torchSum.strides());
        EXPECT_EQ(normalized.strides(), writtenOut(torchSum, weight, Rounds::AfterWeight).strides());
        expectAddRmsNorm(x, residual, weight, Rounds::AfterWeight);
      }
    }
  }
}

TEST_P(RmsNorm, meta_tensors_give_the_shapes_strides_and_dtypes_of_real_ones) {
  const auto expectAlike = [](const Tensor& real, const Tensor& meta) {
    EXPECT_TRUE(meta.is_meta());
    EXPECT_EQ(real.sizes(), meta.sizes());
    EXPECT_EQ(stridesThatCount(real), stridesThatCount(meta));
    EXPECT_EQ(real.scalar_type(), meta.scalar_type());
  };
  for (const Layout& layout : layouts()) {
    SCOPED_TRACE(layout.name);
    const Tensor x = layout.make([&](at::IntArrayRef sizes) { return random(sizes, at::kBFloat16); });
    const Tensor weight = random({24}, at::kFloat);
    for (const Rounds rounds : {Rounds::AfterWeight, Rounds::BeforeWeight}) {
      expectAlike(rmsNorm(x, weight, rounds), rmsNorm(onMeta(x), onMeta(weight), rounds));
      const auto [normalized, sum] = addRmsNorm(x, x, weight, rounds);
      const auto [metaNormalized, metaSum] = addRmsNorm(onMeta(x), onMeta(x), onMeta(weight), rounds);
      expectAlike(normalized, metaNormalized);
      expectAlike(sum, metaSum);
    }
  }
}

TEST_P(RmsNorm, what_the_kernel_cannot_do_is_done_by_torch) {
  const std::pair<at::ScalarType, at::ScalarType> dtypes[] = {{at::kDouble, at::kDouble},
                                                              {at::kFloat, at::kBFloat16},
                                                              {at::kBFloat16, at::kHalf},
                                                              {at::kBFloat16, at::kDouble}};
  for (const auto& [data, affine] : dtypes) {
    for (const Rounds rounds : {Rounds::AfterWeight, Rounds::BeforeWeight}) {
      SCOPED_TRACE(testing::Message() << toString(data) << " * " << toString(affine));
      const Tensor x = random({4, 32}, data), weight = random({32}, affine);
      const Tensor ours = rmsNorm(x, weight, rounds), theirs = writtenOut(x, weight, rounds);
      EXPECT_TRUE(at::allclose(ours, theirs));
      EXPECT_EQ(ours.scalar_type(), theirs.scalar_type());
    }
  }
}

TEST_P(RmsNorm, refuses_what_torch_refuses_with_its_words) {
  const Tensor x = random({4, 32}, at::kFloat), other = random({4, 31}, at::kFloat), ints = x.to(at::kLong);
  const Tensor weight = random({31}, at::kFloat);
  const auto expectTorchsWords = [](const std::function<void()>& ours, const std::function<void()>& theirs) {
    EXPECT_EQ(outcomeOf(ours), outcomeOf(theirs));
    EXPECT_NE(outcomeOf(ours), "no error");
  };
  const auto rounds = Rounds::AfterWeight;
  expectTorchsWords([&] { rmsNorm(x, weight, rounds); }, [&] { writtenOut(x, weight, rounds); });
  expectTorchsWords([&] { rmsNorm(ints, {}, rounds); }, [&] { writtenOut(ints, {}, rounds); });
  expectTorchsWords([&] { addRmsNorm(x, other, {}, rounds); }, [&] { at::add(x, other); });
}

TEST_P(RmsNorm, gradients_are_those_of_the_form_written_out) {
  const auto gradients = [&](auto* operation) {
    at::manual_seed(3);
    std::vector<Tensor> inputs = {random({4, 32}, at::kFloat), random({4, 32}, at::kFloat),
                                  random({32}, at::kFloat)};
    for (Tensor& t : inputs) t.requires_grad_();
    const auto [normalized, sum] = operation(inputs[0], inputs[1], inputs[2]);
    return torch::autograd::grad({(normalized * normalized * 3).sum() + sum.sum()}, inputs);
  };
  const auto ours = gradients(+[](const Tensor& x, const Tensor& residual, const Tensor& weight) {
    return addRmsNorm(x, residual, weight, Rounds::AfterWeight);
  });
  const auto theirs = gradients(+[](const Tensor& x, const Tensor& residual, const Tensor& weight) {
    return Pair(writtenOut(x + residual, weight, Rounds::AfterWeight), x + residual);
  });
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(at::allclose(ours[i], theirs[i])) << "input " << i;
}

TEST_P(RmsNorm, autocast_means_what_it_means_to_torch) {
  const auto device = of(at::kFloat).device().type();
  const Tensor low = random({4, 32}, at::kBFloat16), high = random({4, 32}, at::kFloat);
  at::autocast::set_autocast_enabled(device, true);
  for (const Tensor& x : {low, high}) {
    const Tensor ours = rmsNorm(x, {}, Rounds::AfterWeight), theirs = writtenOut(x, {}, Rounds::AfterWeight);
    EXPECT_EQ(ours.scalar_type(), theirs.scalar_type());
    EXPECT_TRUE(at::allclose(ours, theirs, 0.01, 0.01));
  }
  at::autocast::set_autocast_enabled(device, false);
  at::autocast::clear_cache();
}

TEST_P(RmsNorm, leaves_inputs_alone_and_returns_fresh_tensors) {
  const Tensor x = random({4, 32}, at::kFloat), copy = x.clone();
  const Tensor alone = rmsNorm(x, {}, Rounds::AfterWeight);
  const auto [normalized, sum] = addRmsNorm(x, x, {}, Rounds::AfterWeight);
  EXPECT_TRUE(at::equal(x, copy));
  EXPECT_FALSE(normalized.is_alias_of(sum));
  for (const Tensor& result : {alone, normalized, sum}) EXPECT_FALSE(result.is_alias_of(x));
}

}  // namespace
}  // namespace kadvise::test

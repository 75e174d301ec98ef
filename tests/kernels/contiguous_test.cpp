// kadvise::contiguous against torch's own copy.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct Contiguous : OnDevice {};
struct ContiguousOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Contiguous, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, ContiguousOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor contiguous(const Tensor& x) {
  static const auto op = operatorNamed<Tensor(const Tensor&)>("contiguous");
  return op.call(x);
}

void expectCopy(const Tensor& x) {
  const Tensor ours = contiguous(x);
  EXPECT_TRUE(torch::equal(ours, x)) << x.sizes() << x.strides();
  EXPECT_TRUE(ours.is_contiguous());
  EXPECT_EQ(ours.scalar_type(), x.scalar_type());
  EXPECT_FALSE(ours.is_alias_of(x));
}

TEST_P(Contiguous, of_any_order_size_and_dtype) {
  for (const auto dtype : {at::kFloat, at::kHalf, at::kBFloat16, at::kDouble}) {
    const auto t = [&](at::IntArrayRef sizes) { return random(sizes, dtype); };
    for (const Tensor& x :
         {t({3, 5, 24}), t({64, 33}).t(), t({2, 3, 40, 70}).permute({0, 2, 3, 1}),
          t({2, 40, 7, 9}).contiguous(at::MemoryFormat::ChannelsLast),
          t({1, 8, 513, 9}).permute({0, 3, 1, 2}), t({3, 48}).slice(1, 0, 48, 2),
          t({361}).slice(0, 1).view({3, 5, 24}).transpose(0, 2), t({24}).expand({3, 24}), t({}),
          t({3, 0, 24}).transpose(0, 2), t({2, 3, 4, 5, 6}).permute({4, 0, 3, 1, 2})})
      expectCopy(x);
  }
}

TEST_P(Contiguous, of_whole_numbers_and_flags) {
  const Tensor x = random({40, 30}, at::kFloat);
  for (const auto dtype : {at::kLong, at::kInt, at::kByte, at::kBool}) expectCopy((x * 10).to(dtype).t());
}

TEST_P(Contiguous, on_meta_says_what_it_makes) {
  const Tensor meta = contiguous(onMeta(random({4, 6, 8}, at::kHalf).permute({2, 0, 1})));
  EXPECT_TRUE(meta.is_contiguous());
  EXPECT_EQ(meta.sizes(), (std::vector<std::int64_t>{8, 4, 6}));
  EXPECT_EQ(meta.scalar_type(), at::kHalf);
}

TEST_P(Contiguous, hands_gradients_on) {
  const Tensor x = random({4, 6}, at::kFloat).requires_grad_();
  const Tensor factors = random({6, 4}, at::kFloat);
  const auto gradients = torch::autograd::grad({(contiguous(x.t()) * factors).sum()}, {x});
  EXPECT_TRUE(torch::equal(gradients[0], factors.t()));
}

TEST_P(ContiguousOnGpu, of_more_than_2_31_elements) {
  try {
    const Tensor x =
        at::empty({std::int64_t{1} << 16, (std::int64_t{1} << 15) + 9}, of(at::kHalf)).random_(0, 100);
    expectCopy(x.t());
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

// kadvise::soft_cap against the form written out and against double precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>

namespace kadvise::test {

struct SoftCap : OnDevice {};
struct SoftCapOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, SoftCap, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, SoftCapOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

Tensor softCap(const Tensor& x, double cap) {
  static const auto op = operatorNamed<Tensor(const Tensor&, double)>("soft_cap");
  return op.call(x, cap);
}

Tensor written(const Tensor& x, double cap) { return at::tanh(x / cap) * cap; }

void expectSoftCap(const Tensor& x, double cap) {
  const Tensor ours = softCap(x, cap), theirs = written(x, cap);
  EXPECT_EQ(ours.strides(), theirs.strides());
  expectAsAccurate(ours, theirs, written(x.to(at::kDouble), cap));
}

TEST_P(SoftCap, is_as_accurate_as_written_out_for_every_dtype_size_and_cap) {
  for (const auto dtype : kDtypes) {
    for (const double cap : {30.0, 50.0, 0.125, -2.0}) {
      for (const std::int64_t size : {0, 1, 7, 8, 1000, 1023, 4096, 100003}) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << size << " " << cap);
        expectSoftCap(random({size}, dtype, 0, 3 * cap), cap);
        expectSoftCap(random({size}, dtype, 0, 1e-3 * cap), cap);
      }
    }
  }
}

TEST_P(SoftCap, any_layout_gives_the_values_and_strides_of_torch) {
  for (const auto dtype : kDtypes) {
    const auto t = [&](at::IntArrayRef sizes) { return random(sizes, dtype); };
    const Tensor layouts[] = {t({3, 5, 24}),
                              t({3, 5, 24}).transpose(0, 1),
                              t({24, 5}).t(),
                              t({3, 5, 40}).slice(2, 8, 32),
                              t({361}).slice(0, 1).view({3, 5, 24}),
                              t({2, 3, 4, 5}).contiguous(at::MemoryFormat::ChannelsLast),
                              t({3, 48}).slice(1, 0, 48, 2),
                              t({24}).expand({3, 24}),
                              t({}),
                              t({3, 0, 24})};
    for (const Tensor& x : layouts) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      expectSoftCap(x, 2.5);
      const Tensor meta = softCap(onMeta(x), 2.5);
      EXPECT_EQ(meta.sizes(), x.sizes());
      EXPECT_EQ(meta.strides(), softCap(x, 2.5).strides());
    }
  }
}

TEST_P(SoftCap, of_extreme_values_is_that_of_torch) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor values =
      at::tensor({0.0, -0.0, 1e4, -1e4, infinity, -infinity, std::numeric_limits<double>::quiet_NaN(), 1e-7},
                 at::kDouble);
  for (const auto dtype : kDtypes) {
    const Tensor x = values.to(of(dtype)), ours = softCap(x, 30), theirs = written(x, 30);
    EXPECT_TRUE(at::allclose(ours, theirs, 1e-2, 1e-6, /*equal_nan=*/true)) << ours << theirs;
    EXPECT_TRUE(at::equal(at::signbit(ours), at::signbit(theirs))) << ours << theirs;
  }
}

TEST_P(SoftCap, of_other_dtypes_is_done_by_torch) {
  const Tensor precise = random({4, 32}, at::kDouble);
  EXPECT_TRUE(at::equal(softCap(precise, 30), written(precise, 30)));
  EXPECT_EQ(softCap(at::ones({3}, of(at::kLong)), 30).scalar_type(), at::kFloat);
}

TEST_P(SoftCap, has_the_gradient_of_the_form_written_out) {
  const Tensor x = random({4, 32}, at::kFloat, 0, 30).requires_grad_();
  const auto ours = torch::autograd::grad({softCap(x, 30).sum()}, {x});
  const auto theirs = torch::autograd::grad({written(x, 30).sum()}, {x});
  EXPECT_TRUE(at::allclose(ours[0], theirs[0]));
}

TEST_P(SoftCapOnGpu, more_than_2_31_elements) {
  try {
    const std::int64_t rows = (std::int64_t{1} << 20) + 3, columns = 2048;
    const Tensor x = at::randn({rows, columns + 1}, of(at::kBFloat16));
    const Tensor wholes[] = {x, x.slice(1, 0, columns), x.slice(1, 1)};  // one row, rows, elements
    for (const Tensor& whole : wholes) {
      const Tensor ours = softCap(whole, 2);
      for (const std::int64_t row : {std::int64_t{0}, rows / 2 + 5, rows - 8}) {
        const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
        EXPECT_LE((part(ours) - written(part(whole), 2)).abs().max().item<double>(), 0.02) << "row " << row;
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

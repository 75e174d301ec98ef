// The results of kadvise::rms_norm and add_rms_norm against the forms written out and against double
// precision.
#include "tests/kernels/rms_norm.h"

#include <limits>

namespace kadvise::test {

INSTANTIATE_TEST_SUITE_P(Operators, RmsNorm, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, RmsNormOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

constexpr Rounds kBoth[] = {Rounds::AfterWeight, Rounds::BeforeWeight};

// One length at least for every kernel that row_schedule.h can choose, and the lengths around its borders.
std::vector<std::int64_t> lengths(bool cuda) {
  std::vector<std::int64_t> all = {1,   3,   8,   63,  64,   127,  128,  129,
                                   256, 257, 512, 768, 1000, 1023, 1024, 4097};
  if (cuda)
    all.insert(all.end(),
               {4096, 5120, 8192, 8200, 8209, 16384, 20001, 60000, 116000, 116001, 131072, 300001});
  return all;
}

TEST_P(RmsNorm, is_as_accurate_as_the_form_written_out_for_every_row_length_dtype_and_rounding) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t length : lengths(isCuda())) {
      for (const std::int64_t rows : {1, 5, 67}) {
        for (const Rounds rounds : kBoth) {
          SCOPED_TRACE(testing::Message() << toString(dtype) << " " << rows << " x " << length << " "
                                          << (rounds == Rounds::BeforeWeight));
          const Tensor x = random({rows, length}, dtype), weight = random({length}, dtype, 1);
          expectRmsNorm(x, weight, rounds);
          expectAddRmsNorm(x, random({rows, length}, dtype), weight, rounds);
        }
      }
    }
  }
}

TEST_P(RmsNorm, takes_a_float_weight_with_16_bit_rows_and_no_weight_at_all) {
  for (const auto dtype : {at::kHalf, at::kBFloat16}) {
    for (const std::int64_t length : {96, 1001, 4096, 20000}) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << length);
      const Tensor x = random({6, length}, dtype), residual = random({6, length}, dtype);
      const Tensor weight = random({length}, at::kFloat, 1);
      for (const Rounds rounds : kBoth) {
        expectRmsNorm(x, weight, rounds);
        expectAddRmsNorm(x, residual, weight, rounds);
        expectRmsNorm(x, {}, rounds);
        expectAddRmsNorm(x, residual, {}, rounds);
      }
    }
  }
}

// A rounding in the other place gives other bits, so that a model keeps its own.
TEST_P(RmsNorm, rounds_where_it_is_told_to) {
  const Tensor x = random({64, 1024}, at::kBFloat16), weight = random({1024}, at::kBFloat16, 1);
  const Tensor before = rmsNorm(x, weight, Rounds::BeforeWeight),
               after = rmsNorm(x, weight, Rounds::AfterWeight);
  const auto differing = [](const Tensor& a, const Tensor& b) { return (a != b).sum().item<std::int64_t>(); };
  const std::int64_t apart = differing(before, after);
  EXPECT_GT(apart, x.numel() / 10);
  EXPECT_LT(differing(before, writtenOut(x, weight, Rounds::BeforeWeight)), apart / 10);
  EXPECT_LT(differing(after, writtenOut(x, weight, Rounds::AfterWeight)), apart / 10);
}

TEST_P(RmsNorm, is_as_accurate_as_the_form_written_out_whatever_the_values) {
  const std::int64_t rows = 9, length = 1024;
  for (const auto dtype : kDtypes) {
    const Tensor weight = random({length}, dtype, 1);
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
      for (const Rounds rounds : kBoth) {
        expectRmsNorm(x, weight, rounds);
        expectAddRmsNorm(x, random({rows, length}, dtype), weight, rounds);
      }
    }
  }
}

TEST_P(RmsNorm, a_row_with_nan_or_infinity_is_as_written_out_and_no_other_row_is_touched) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto dtype : kDtypes) {
    for (const double bad : {std::numeric_limits<double>::quiet_NaN(), infinity, -infinity}) {
      for (const std::int64_t length : {7, 130, 1024, 5000}) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << bad << " " << length);
        Tensor x = random({4, length}, dtype);
        x[1][length / 2] = bad;
        const Tensor ours = rmsNorm(x, {}, Rounds::AfterWeight),
                     theirs = writtenOut(x, {}, Rounds::AfterWeight);
        EXPECT_TRUE(at::equal(ours.isnan(), theirs.isnan()));
        EXPECT_TRUE(at::equal(ours.isinf(), theirs.isinf()));
      }
    }
  }
}

TEST_P(RmsNorm, gives_the_same_bits_every_time) {
  for (const std::int64_t length : {100, 1000, 10000, 200000}) {
    const Tensor x = random({3, length}, at::kFloat);
    EXPECT_TRUE(at::equal(rmsNorm(x, {}, Rounds::AfterWeight), rmsNorm(x, {}, Rounds::AfterWeight)));
  }
}

TEST_P(RmsNorm, many_short_rows) {
  const std::int64_t rows = isCuda() ? 20'000'003 : 300'003;
  const Tensor x = at::randn({rows, 8}, of(at::kBFloat16));
  const Tensor ours = rmsNorm(x, {}, Rounds::AfterWeight), theirs = writtenOut(x, {}, Rounds::AfterWeight);
  EXPECT_LE((ours - theirs).abs().max().item<double>(), 0.02);
}

// ---- more elements than 32 bits count

// The last rows, whose offsets need 64 bits, against the same rows alone.
TEST_P(RmsNormOnGpu, more_than_2_31_elements_in_many_rows) {
  for (const std::int64_t length : {4096, 4097}) {
    try {
      const std::int64_t rows = (std::int64_t{1} << 31) / length + 9;
      const Tensor x = at::randn({rows, length}, of(at::kBFloat16)), residual = at::randn_like(x);
      const auto [normalized, sum] = addRmsNorm(x, residual, {}, Rounds::AfterWeight);
      for (const std::int64_t row : {std::int64_t{0}, rows / 2, rows - 8}) {
        SCOPED_TRACE(testing::Message() << "row " << row << " of length " << length);
        const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).clone(); };
        const Tensor torchSum = part(x) + part(residual);
        EXPECT_TRUE(at::equal(part(sum), torchSum));
        const Tensor theirs = writtenOut(torchSum, {}, Rounds::AfterWeight);
        EXPECT_LE((part(normalized) - theirs).abs().max().item<double>(), 0.04);
      }
    } catch (const c10::OutOfMemoryError&) {
      GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
    }
  }
}

TEST_P(RmsNormOnGpu, more_than_2_31_elements_in_one_row) {
  try {
    const std::int64_t length = (std::int64_t{1} << 31) + 11;
    const Tensor x = at::randn({1, length}, of(at::kBFloat16));
    const Tensor normalized = rmsNorm(x, {}, Rounds::AfterWeight);
    // Far fewer elements give the same scale to three digits; parts of the row are then checked.
    const double root = x.slice(1, 0, 1 << 26).to(at::kFloat).square().mean().sqrt().item<double>();
    for (const std::int64_t begin : {std::int64_t{0}, length / 2, length - (1 << 20)}) {
      const auto part = [&](const Tensor& t) { return t.slice(1, begin, begin + (1 << 20)).to(at::kFloat); };
      EXPECT_LE((part(normalized) - part(x) / root).abs().max().item<double>(), 0.03);
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

// The results of kadvise::add_layer_norm against torch's and against double precision.
#include "tests/kernels/add_layer_norm.h"

#include <limits>

namespace kadvise::test {

INSTANTIATE_TEST_SUITE_P(AddLayerNorm, OnDevice, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

struct OnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(AddLayerNorm, OnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

// One length at least for every kernel that schedule.h can choose, and the lengths around its borders.
std::vector<std::int64_t> lengths(bool cuda) {
  std::vector<std::int64_t> all = {1,   3,   7,   8,   32,   63,   64,   127,  128, 129,
                                   256, 257, 512, 768, 1000, 1023, 1024, 1032, 4097};
  if (cuda)
    all.insert(all.end(),
               {4096, 5120, 8192, 8200, 8209, 16384, 20001, 60000, 116000, 116001, 131072, 300001});
  return all;
}

TEST_P(OnDevice, is_as_accurate_as_torch_for_every_row_length_and_dtype) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t length : lengths(isCuda())) {
      for (const std::int64_t rows : {1, 5, 67}) {
        SCOPED_TRACE(testing::Message() << toString(dtype) << " " << rows << " x " << length);
        const Tensor weight = random({length}, dtype, 1), bias = random({length}, dtype);
        expectAsAccurate(random({rows, length}, dtype), random({rows, length}, dtype), {length}, weight,
                         bias);
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
  const double nan = std::numeric_limits<double>::quiet_NaN(),
               infinity = std::numeric_limits<double>::infinity();
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
    EXPECT_TRUE(std::get<0>(addLayerNorm(x, at::zeros_like(x), {4096})).isfinite().all().item<bool>())
        << deviation;
  }
}

TEST_P(OnDevice, gives_the_same_bits_every_time) {
  for (const std::int64_t length : {100, 1000, 10000, 200000}) {
    const Tensor x = random({3, length}, at::kFloat), residual = random({3, length}, at::kFloat);
    const auto [first, sum] = addLayerNorm(x, residual, {length});
    EXPECT_TRUE(at::equal(first, std::get<0>(addLayerNorm(x, residual, {length}))));
  }
}

TEST_P(OnDevice, many_short_rows) {
  const std::int64_t rows = isCuda() ? 20'000'003 : 300'003;
  const Tensor x = at::randn({rows, 8}, of(at::kBFloat16)),
               residual = at::randn({rows, 8}, of(at::kBFloat16));
  const auto [normalized, sum] = addLayerNorm(x, residual, {8});
  const auto [torchNormalized, torchSum] = composition(x, residual, {8});
  EXPECT_TRUE(at::equal(sum, torchSum));
  EXPECT_LE((normalized - torchNormalized).abs().max().item<double>(), 0.02);
}

// ---- more elements than 32 bits count

// The last rows, whose offsets need 64 bits, against the same rows alone.
TEST_P(OnGpu, more_than_2_31_elements_in_many_rows) {
  for (const std::int64_t length : {4096, 4097}) {
    try {
      const std::int64_t rows = (std::int64_t{1} << 31) / length + 9;
      const Tensor x = at::randn({rows, length}, of(at::kBFloat16)),
                   residual = at::randn({rows, length}, of(at::kBFloat16));
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

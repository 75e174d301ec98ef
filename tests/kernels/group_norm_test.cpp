// kadvise::group_norm against torch's operators in a row, and against double precision.
#include "tests/kernels/on_device.h"

#include <c10/core/StreamGuard.h>
#include <torch/csrc/autograd/autograd.h>

#include <random>

namespace kadvise::test {

struct GroupNorm : OnDevice {};
struct GroupNormOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, GroupNorm, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, GroupNormOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

using Name = std::optional<c10::string_view>;
constexpr double kEps = 1e-5, kSlope = 0.2;

Tensor groupNorm(const Tensor& x, std::int64_t groups, const Maybe& weight, const Maybe& bias,
                 const Name& act = {}, const Maybe& shift = {}) {
  static const auto op = operatorNamed<Tensor(const Tensor&, std::int64_t, const Maybe&, const Maybe&, double,
                                              const Name&, double, const Maybe&)>("group_norm");
  return op.call(x, groups, weight, bias, kEps, act, kSlope, shift);
}

Tensor shifted(const Tensor& x, const Maybe& shift) {
  if (!shift) return x;
  std::vector<std::int64_t> sizes = shift->sizes().vec();
  sizes.resize(sizes.size() + static_cast<std::size_t>(x.dim() - 2), 1);
  return x + shift->reshape(sizes);
}

Tensor inARow(const Tensor& x, std::int64_t groups, const Maybe& weight, const Maybe& bias, const Name& act,
              const Maybe& shift = {}) {
  const Tensor y = at::group_norm(shifted(x, shift), groups, weight, bias, kEps);
  if (!act) return y;
  return *act == "silu" ? at::silu(y) : *act == "relu" ? at::relu(y) : at::leaky_relu(y, kSlope);
}

void expectNear(const Tensor& x, std::int64_t groups, const Maybe& weight, const Maybe& bias,
                const Name& act = {}, const Maybe& shift = {}) {
  const Tensor exact = inARow(x.to(at::kDouble), groups, wide(weight), wide(bias), act, wide(shift));
  expectAsAccurate(groupNorm(x, groups, weight, bias, act, shift),
                   inARow(x, groups, weight, bias, act, shift), exact, kOtherAlgorithm);
}

Tensor channelsLast(const Tensor& x) {
  if (x.dim() == 4) return x.contiguous(at::MemoryFormat::ChannelsLast);
  if (x.dim() == 5) return x.contiguous(at::MemoryFormat::ChannelsLast3d);
  return x.dim() == 3 ? x.transpose(1, 2).contiguous().transpose(1, 2) : x;
}

TEST_P(GroupNorm, is_as_accurate_as_torch_over_240_drawn_cases) {
  std::mt19937 draw(5);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 240; ++i) {
    const auto dtype = kDtypes[i % 3];
    const std::int64_t groups = one({1, 2, 3, 8, 32}), channels = groups * one({1, 2, 5, 8, 10, 16, 40});
    std::vector<std::int64_t> sizes = {one({1, 2, 3}), channels};
    const std::int64_t dims = one({0, 1, 2, 2, 2, 3});
    for (std::int64_t d = 0; d < dims; ++d) sizes.push_back(one({1, 2, 7, 8, 13, dims == 3 ? 9 : 40}));
    if (channels == groups && dims == 0) sizes[1] *= 4;
    Tensor x = random(sizes, dtype, /*mean=*/static_cast<double>(one({0, 0, 3})));
    if (one({0, 1}) == 1) x = channelsLast(x);
    const bool affine = one({0, 1, 1}) == 1;
    const Maybe weight = affine ? Maybe(random({sizes[1]}, dtype)) : Maybe();
    const Maybe bias = affine && one({0, 1, 1}) == 1 ? Maybe(random({sizes[1]}, dtype)) : Maybe();
    const Maybe shifts[] = {
        {}, {}, random({sizes[1]}, dtype), random({1, sizes[1]}, dtype), random({sizes[0], sizes[1]}, dtype)};
    const Name acts[] = {{}, "silu", "relu", "leaky_relu"};
    SCOPED_TRACE(testing::Message() << "case " << i << " " << toString(dtype) << " " << x.sizes() << " "
                                    << x.strides() << " groups " << groups);
    const auto act = acts[draw() % 4];
    expectNear(x, groups, weight, bias, act, shifts[draw() % 5]);
  }
}

// Rows of one warp, of one block, of several, and of more than can be resident.
TEST_P(GroupNormOnGpu, groups_of_every_size) {
  for (const auto dtype : kDtypes) {
    for (const std::int64_t side : {15, 31, 64, 127, 256, 1031, 2048}) {
      if (side == 2048 && dtype != at::kBFloat16) continue;  // drawing the largest takes a second
      for (const bool last : {false, true}) {
        for (const std::int64_t groups : {2, 16}) {
          Tensor x = random({2, 16, side, side}, dtype, 1);
          if (last) x = channelsLast(x);
          SCOPED_TRACE(testing::Message()
                       << toString(dtype) << " " << x.sizes() << " " << x.strides() << " " << groups);
          expectNear(x, groups, random({16}, dtype), random({16}, dtype), "silu");
          if (side < 2048) expectNear(x, groups, {}, {}, {}, random({2, 16}, dtype));
        }
      }
    }
  }
}

// Rows that 16 blocks hold together, with edges and without, by elements, and the first that they do not; few
// rows, and many.
TEST_P(GroupNormOnGpu, groups_of_wide_clusters) {
  for (const auto dtype : kDtypes) {
    const std::int64_t scale = dtype == at::kFloat ? 1 : 2;  // a row has as many bytes
    for (const std::int64_t side : {190, 221, 256, 257}) {
      for (const std::int64_t images : {1, 20}) {
        const std::int64_t channels = 8 * scale;
        const Tensor flat = random({images * channels * side * side + 1}, dtype, 1);
        const Tensor aligned = flat.slice(0, 0, -1).view({images, channels, side, side});
        for (const Tensor& x : {aligned, flat.slice(0, 1).view(aligned.sizes()), channelsLast(aligned)}) {
          SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
          expectNear(x, 2, random({channels}, dtype), random({channels}, dtype), "silu");
        }
      }
    }
  }
}

// The clusters of one wait for none of the other.
TEST_P(GroupNormOnGpu, on_two_streams_at_once) {
  const c10::impl::VirtualGuardImpl device(at::kCUDA);
  const Tensor first = random({2, 64, 192, 192}, at::kFloat, 1), second = channelsLast(first);
  const Tensor results[] = {groupNorm(first, 16, {}, {}, "silu"), groupNorm(second, 16, {}, {}, "silu")};
  std::vector<std::pair<Tensor, Tensor>> pairs;
  c10::Stream streams[] = {device.getStreamFromGlobalPool(first.device()),
                           device.getStreamFromGlobalPool(first.device())};
  device.synchronizeDevice(first.device().index());
  for (int i = 0; i < 40; ++i) {
    const c10::StreamGuard guard(streams[i % 2]);
    pairs.emplace_back(groupNorm(first, 16, {}, {}, "silu"), groupNorm(second, 16, {}, {}, "silu"));
  }
  device.synchronizeDevice(first.device().index());
  for (const auto& [one, other] : pairs) {
    EXPECT_TRUE(at::equal(one, results[0]));
    EXPECT_TRUE(at::equal(other, results[1]));
  }
}

TEST_P(GroupNormOnGpu, equal_inputs_give_equal_bits) {
  for (const bool last : {false, true}) {
    Tensor x = random({2, 320, 96, 96}, at::kBFloat16, 1);
    if (last) x = channelsLast(x);
    const Tensor first = groupNorm(x, 32, {}, {}, "silu");
    for (int i = 0; i < 20; ++i) EXPECT_TRUE(at::equal(first, groupNorm(x, 32, {}, {}, "silu")));
  }
}

TEST_P(GroupNorm, instance_norms_are_those_of_torch) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Maybe&, const Maybe&, double, const Name&, double)>(
          "instance_norm");
  const auto theirs = [](const Tensor& x, const Maybe& weight, const Maybe& bias) {
    return at::relu(at::instance_norm(x, weight, bias, {}, {}, true, 0.1, kEps, false));
  };
  for (const auto dtype : kDtypes) {
    for (const Tensor& x :
         {random({2, 24, 19, 20}, dtype, 1), channelsLast(random({2, 24, 19, 20}, dtype, 1)),
          random({3, 5, 301}, dtype), channelsLast(random({1, 16, 6, 7, 8}, dtype))}) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      const Maybe weight = random({x.size(1)}, dtype), bias = random({x.size(1)}, dtype);
      const Tensor ours = op.call(x, weight, bias, kEps, "relu", 0);
      expectAsAccurate(ours, theirs(x, weight, bias), theirs(x.to(at::kDouble), wide(weight), wide(bias)),
                       kOtherAlgorithm);
      const Tensor meta = op.call(onMeta(x), onMeta(*weight), onMeta(*bias), kEps, "relu", 0);
      EXPECT_EQ(meta.sizes(), ours.sizes());
      EXPECT_EQ(meta.strides(), ours.strides());
    }
  }
  EXPECT_NE(outcomeOf([&] { op.call(onMeta(random({4, 8}, at::kFloat)), {}, {}, kEps, {}, 0); }), "no error");
}

TEST_P(GroupNorm, takes_views_and_misaligned_memory) {
  for (const auto dtype : kDtypes) {
    const Tensor weight = random({32}, dtype).slice(0, 0, 16), bias = random({17}, dtype).slice(0, 1);
    const Tensor flat = random({2 * 16 * 9 * 9 + 1}, dtype).slice(0, 1), base = random({2, 40, 9, 9}, dtype);
    const Tensor views[] = {base.slice(1, 3, 19),     channelsLast(base).slice(1, 3, 19),
                            flat.view({2, 16, 9, 9}), flat.view({2, 9, 9, 16}).permute({0, 3, 1, 2}),
                            base.slice(1, 0, 32, 2),  random({16, 9}, dtype).expand({3, 16, 9})};
    for (const Tensor& x : views) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      expectNear(x, 4, weight, bias, "silu");
      expectNear(x, 16, weight, bias);
    }
  }
}

TEST_P(GroupNorm, a_mean_far_from_zero_costs_no_more_than_in_torch) {
  for (const bool last : {false, true}) {
    Tensor x = random({2, 64, 33, 32}, at::kFloat, /*mean=*/1000, /*deviation=*/0.5);
    if (last) x = channelsLast(x);
    expectNear(x, 8, random({64}, at::kFloat), random({64}, at::kFloat));
  }
}

// Threads and lanes whose first elements are the few that are far from all others.
TEST_P(GroupNorm, few_large_elements_among_zeros_cost_little) {
  const auto error = [](const Tensor& y, const Tensor& truth) {
    return (y.to(at::kDouble) - truth).square().mean().sqrt().item<double>();
  };
  for (const double deviations : {1.6, 2.3, 3.0}) {  // one element of 20, of 100, of 700
    Tensor x = random({2, 64, 126, 126}, at::kFloat);
    x = x * random({2, 64, 126, 126}, at::kFloat).gt(deviations);
    const Tensor ours = groupNorm(x, 64, {}, {}), theirs = at::group_norm(x, 64, {}, {}, kEps);
    const Tensor truth = at::group_norm(x.to(at::kDouble), 64, {}, {}, kEps);
    EXPECT_LE(error(ours, truth), 8 * error(theirs, truth) + 1e-8) << deviations;
  }
}

// Dynamic shared memory that only together with the static arrays is more than a kernel has without asking.
TEST_P(GroupNorm, a_part_that_nearly_fills_48_KiB) {
  expectNear(random({2, 448, 14, 14}, at::kBFloat16), 1, random({448}, at::kBFloat16),
             random({448}, at::kBFloat16));
}

TEST_P(GroupNorm, lies_in_memory_as_x_does_on_meta_tensors_too) {
  const Tensor image = random({2, 8, 5, 7}, at::kFloat), volume = random({2, 8, 3, 4, 5}, at::kFloat);
  const Tensor signal = random({2, 8, 9}, at::kFloat);
  for (const Tensor& x : {image, channelsLast(image), volume, channelsLast(volume), signal,
                          channelsLast(signal), random({4, 8}, at::kFloat), image.slice(0, 0, 0)}) {
    const Tensor real = groupNorm(x, 4, {}, {}, "silu"), meta = groupNorm(onMeta(x), 4, {}, {}, "silu");
    EXPECT_TRUE(meta.is_meta());
    EXPECT_EQ(real.sizes(), meta.sizes());
    EXPECT_EQ(real.strides(), meta.strides()) << x.sizes() << x.strides();
    if (x.numel() > 0) EXPECT_EQ(real.strides(), x.strides());
  }
}

TEST_P(GroupNorm, a_nan_stays_in_its_group) {
  const double nan = std::numeric_limits<double>::quiet_NaN();
  for (const bool last : {false, true}) {
    Tensor x = random({2, 16, 30, 30}, at::kBFloat16);
    x[1][5][3][4].fill_(nan);
    if (last) x = channelsLast(x);
    const Tensor isNan = groupNorm(x, 4, {}, {}).isnan();
    EXPECT_EQ(isNan.sum().item<std::int64_t>(), 4 * 900);
    EXPECT_TRUE(isNan[1].slice(0, 4, 8).all().item<bool>());
  }
}

TEST_P(GroupNorm, of_other_dtypes_and_with_gradients_is_done_by_torch) {
  const Tensor x = random({2, 4, 6, 6}, at::kDouble);
  EXPECT_TRUE(at::equal(groupNorm(x, 2, {}, {}), inARow(x, 2, {}, {}, {})));
  std::vector<Tensor> inputs = {random({2, 4, 6, 6}, at::kFloat), random({4}, at::kFloat),
                                random({4}, at::kFloat)};
  for (Tensor& t : inputs) t.requires_grad_();
  const auto ours =
      torch::autograd::grad({groupNorm(inputs[0], 2, inputs[1], inputs[2], "silu").square().sum()}, inputs);
  const auto theirs =
      torch::autograd::grad({inARow(inputs[0], 2, inputs[1], inputs[2], "silu").square().sum()}, inputs);
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
}

TEST_P(GroupNorm, refuses_groups_and_shifts_that_do_not_fit_the_channels) {
  const Tensor x = random({2, 8, 9, 9}, at::kFloat);
  for (const std::int64_t groups : {3, 0, -2}) {
    const std::string ours = outcomeOf([&] { groupNorm(x, groups, {}, {}); });
    EXPECT_NE(ours.find("must be divisible into"), std::string::npos) << ours;
    EXPECT_EQ(outcomeOf([&] { groupNorm(onMeta(x), groups, {}, {}); }), ours);
  }
  for (const Tensor& shift :
       {random({7}, at::kFloat), random({3, 8}, at::kFloat), random({2, 8, 1}, at::kFloat)}) {
    const std::string ours = outcomeOf([&] { groupNorm(x, 4, {}, {}, {}, shift); });
    EXPECT_NE(ours.find("a number for each channel"), std::string::npos) << ours;
    EXPECT_EQ(outcomeOf([&] { groupNorm(onMeta(x), 4, {}, {}, {}, onMeta(shift)); }), ours);
  }
}

TEST_P(GroupNormOnGpu, more_than_2_31_elements) {
  try {
    for (const bool last : {false, true}) {
      const Tensor flat = at::randn({66000, 8, 64, 64}, of(at::kBFloat16));
      const Tensor x = last ? flat.view({-1, 64, 64, 8}).permute({0, 3, 1, 2}) : flat;
      const Tensor y = groupNorm(x, 2, {}, {});
      for (const std::int64_t image : {std::int64_t{0}, x.size(0) / 2 + 5, x.size(0) - 2}) {
        const Tensor part = x.slice(0, image, image + 2).clone();
        EXPECT_LE((y.slice(0, image, image + 2) - inARow(part, 2, {}, {}, {})).abs().max().item<double>(),
                  0.05);
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

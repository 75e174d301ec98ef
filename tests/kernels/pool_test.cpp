// kadvise::max_pool and kadvise::avg_pool against torch's operators in a row, and against double precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <random>

namespace kadvise::test {

struct Pool : OnDevice {};
struct PoolOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Pool, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, PoolOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

using at::IntArrayRef;
using Name = std::optional<c10::string_view>;

struct Windows {
  std::vector<std::int64_t> kernel, stride, padding = {0}, dilation = {1};
  bool ceilMode = false, countsPadding = true;
  std::optional<std::int64_t> divisor = {};
};

Tensor maxPool(const Tensor& x, const Windows& w, const Name& act = {}) {
  static const auto op = operatorNamed<Tensor(const Tensor&, IntArrayRef, IntArrayRef, IntArrayRef,
                                              IntArrayRef, bool, const Name&)>("max_pool");
  return op.call(x, w.kernel, w.stride, w.padding, w.dilation, w.ceilMode, act);
}

Tensor avgPool(const Tensor& x, const Windows& w, const Name& act = {}) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, IntArrayRef, IntArrayRef, IntArrayRef, bool, bool,
                           const std::optional<std::int64_t>&, const Name&)>("avg_pool");
  return op.call(x, w.kernel, w.stride, w.padding, w.ceilMode, w.countsPadding, w.divisor, act);
}

Tensor theirMax(const Tensor& x, const Windows& w) {
  return x.dim() == 4 ? at::max_pool2d(x, w.kernel, w.stride, w.padding, w.dilation, w.ceilMode)
                      : at::max_pool3d(x, w.kernel, w.stride, w.padding, w.dilation, w.ceilMode);
}

Tensor theirAvg(const Tensor& x, const Windows& w) {
  return x.dim() == 4
             ? at::avg_pool2d(x, w.kernel, w.stride, w.padding, w.ceilMode, w.countsPadding, w.divisor)
             : at::avg_pool3d(x, w.kernel, w.stride, w.padding, w.ceilMode, w.countsPadding, w.divisor);
}

Tensor channelsLast(const Tensor& x) {
  return x.contiguous(x.dim() == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d);
}

void expectBoth(const Tensor& x, const Windows& w) {
  const Tensor largest = theirMax(x, w);
  EXPECT_TRUE(at::equal(maxPool(x, w), largest));
  EXPECT_TRUE(at::equal(maxPool(x, w, "relu"), at::relu(largest)));
  const bool isOneOfTorch =
      x.is_cuda() || x.dim() == 4 || x.scalar_type() == at::kFloat;  // no means of volumes in 16 bits
  if (w.dilation != std::vector<std::int64_t>{1} || !isOneOfTorch) return;
  const Tensor mean = theirAvg(x, w), exact = theirAvg(x.to(at::kDouble), w);
  expectAsAccurate(avgPool(x, w), mean, exact, kOtherAlgorithm);
  expectAsAccurate(avgPool(x, w, "silu"), at::silu(mean), at::silu(exact), kOtherAlgorithm);
}

TEST_P(Pool, is_that_of_torch_over_240_drawn_windows) {
  std::mt19937 draw(3);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 240; ++i) {
    const auto dtype = kDtypes[i % 3];
    const std::size_t dims = i % 4 == 3 ? 3 : 2;
    std::vector<std::int64_t> sizes = {one({1, 2, 3}), one({1, 3, 8, 16, 20, 64})};
    Windows w{{}, {}, {}, {one({1, 1, 1, 2})}, one({0, 1}) == 1, one({0, 1}) == 1, {}};
    if (one({0, 0, 1}) == 1) w.divisor = 3;
    const bool usual = one({0, 1, 1}) == 1;
    for (std::size_t d = 0; d < dims; ++d) {
      const std::int64_t k = usual ? i % 2 + 2 : one({1, 2, 3, 4, 5});
      w.kernel.push_back(k);
      w.stride.push_back(usual ? one({2, 2, k - 1}) : one({1, 2, 3}));
      w.padding.push_back(usual ? k / 2 * (k % 2) : one({0, k / 2}));
      sizes.push_back(w.dilation[0] * k + one({0, 1, 5, 8, dims == 3 ? 3 : 27}));
    }
    Tensor x = random(sizes, dtype);
    if (one({0, 1}) == 1) x = channelsLast(x);
    SCOPED_TRACE(testing::Message() << "case " << i << " " << toString(dtype) << " " << x.sizes() << " "
                                    << x.strides() << " kernel " << w.kernel << " stride " << w.stride
                                    << " pad " << w.padding << " dilation " << w.dilation
                                    << (w.ceilMode ? " ceil" : ""));
    expectBoth(x, w);
  }
}

TEST_P(Pool, without_strides_windows_do_not_overlap) {
  const Tensor x = random({2, 8, 13, 16}, at::kFloat);
  expectBoth(x, {{3}, {}, {1}});
  expectBoth(channelsLast(x), {{2, 3}, {}});
}

TEST_P(Pool, takes_views_and_misaligned_memory) {
  for (const auto dtype : kDtypes) {
    const Tensor flat = random({2 * 16 * 8 * 8 + 1}, dtype).slice(0, 1), base = random({2, 40, 9, 16}, dtype);
    const Tensor views[] = {base.slice(1, 3, 19),     channelsLast(base).slice(1, 3, 19),
                            flat.view({2, 16, 8, 8}), flat.view({2, 8, 8, 16}).permute({0, 3, 1, 2}),
                            base.slice(3, 1, 15),     base.transpose(2, 3)};
    for (const Tensor& x : views) {
      SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
      expectBoth(x, {{3}, {2}, {1}});
      expectBoth(x, {{2}, {2}});
    }
  }
}

TEST_P(Pool, of_nan_and_infinities_is_that_of_torch) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto dtype : kDtypes) {
    for (const bool last : {false, true}) {
      Tensor x = random({2, 8, 20, 20}, dtype);
      for (const auto column : {0, 7, 8, 11, 19})
        x[1][3][column][column].fill_(std::numeric_limits<double>::quiet_NaN());
      x[0][2].fill_(-infinity);
      x[0][1][4][4].fill_(infinity);
      if (last) x = channelsLast(x);
      for (const Windows& w :
           {Windows{{3}, {2}, {1}}, Windows{{3}, {1}, {1}}, Windows{{2}, {2}}, Windows{{4}, {3}, {2}}}) {
        EXPECT_TRUE(at::allclose(maxPool(x, w, "relu"), at::relu(theirMax(x, w)), 0, 0, /*equal_nan=*/true));
        EXPECT_TRUE(at::allclose(maxPool(x, w), theirMax(x, w), 0, 0, /*equal_nan=*/true));
        EXPECT_TRUE(at::allclose(avgPool(x, w), theirAvg(x, w), 2e-2, 1e-2, /*equal_nan=*/true));
      }
    }
  }
}

TEST_P(Pool, lies_in_memory_as_x_does_on_meta_tensors_too) {
  const Tensor image = random({2, 8, 15, 17}, at::kFloat), volume = random({2, 8, 5, 6, 7}, at::kFloat);
  for (const Tensor& x : {image, channelsLast(image), volume, channelsLast(volume)}) {
    for (const bool ceilMode : {false, true}) {
      const Windows w{{3}, {2}, {1}, {1}, ceilMode};
      for (const auto pool : {&maxPool, &avgPool}) {
        const Tensor real = pool(x, w, "relu"), meta = pool(onMeta(x), w, "relu");
        EXPECT_TRUE(meta.is_meta());
        EXPECT_EQ(real.sizes(), meta.sizes());
        EXPECT_EQ(real.strides(), meta.strides()) << x.sizes() << x.strides();
        EXPECT_EQ(real.stride(1) == 1, x.stride(1) == 1);
      }
    }
  }
}

TEST_P(Pool, of_other_dtypes_and_with_gradients_is_done_by_torch) {
  const Windows w{{3}, {2}, {1}};
  expectBoth(random({2, 4, 9, 9}, at::kDouble), w);
  const Tensor x = random({2, 4, 9, 9}, at::kFloat).requires_grad_();
  EXPECT_TRUE(at::equal(torch::autograd::grad({maxPool(x, w, "relu").sum()}, {x})[0],
                        torch::autograd::grad({at::relu(theirMax(x, w)).sum()}, {x})[0]));
  EXPECT_TRUE(at::allclose(torch::autograd::grad({avgPool(x, w).square().sum()}, {x})[0],
                           torch::autograd::grad({theirAvg(x, w).square().sum()}, {x})[0]));
}

TEST_P(Pool, refuses_what_torch_refuses_with_its_words) {
  const Tensor x = random({2, 8, 9, 9}, at::kFloat);
  for (const Windows& w : {Windows{{3}, {2}, {2}}, Windows{{30}, {1}}, Windows{{3}, {0}}, Windows{{0}, {1}},
                           Windows{{3, 3, 3}, {1}}}) {
    const std::string theirs = outcomeOf([&] { theirMax(x, w); });
    EXPECT_NE(theirs, "no error");
    EXPECT_EQ(outcomeOf([&] { maxPool(x, w); }), theirs);
    EXPECT_EQ(outcomeOf([&] { avgPool(x, w); }), outcomeOf([&] { theirAvg(x, w); }));
  }
  const Windows dilated{
      {5}, {1}, {3}, {2}};  // its padding is half of what it reaches, and more than torch takes
  EXPECT_EQ(outcomeOf([&] { maxPool(x, dilated); }), outcomeOf([&] { theirMax(x, dilated); }));
  EXPECT_NE(outcomeOf([&] { maxPool(onMeta(x), dilated); }), "no error");
  EXPECT_NE(outcomeOf([&] { maxPool(x[0], {{3}, {1}}); }), "no error");
  EXPECT_NE(outcomeOf([&] { maxPool(onMeta(x), {{3}, {2}, {2}}); }), "no error");
}

// Of many warps, where lanes have columns beside theirs from each other, and of threads with many layers.
TEST_P(PoolOnGpu, usual_windows_over_large_images_and_volumes_are_those_of_torch) {
  const std::vector<std::int64_t> sizes[] = {{32, 192, 28, 28}, {3, 64, 112, 112},   {2, 24, 27, 33},
                                             {5, 7, 14, 260},   {2, 64, 48, 48, 48}, {1, 40, 13, 24, 52},
                                             {1, 3, 9, 30, 31}};
  for (const auto& size : sizes) {
    for (const auto dtype : kDtypes) {
      const Tensor dense = random(size, dtype);
      for (const Tensor& x : {dense, channelsLast(dense)}) {
        for (const bool isExcluded : {false, true}) {
          SCOPED_TRACE(testing::Message() << toString(dtype) << " " << x.sizes() << " " << x.strides());
          expectBoth(x, {{3}, {1}, {1}, {1}, false, !isExcluded});
          expectBoth(x, {{3}, {2}, {1}, {1}, isExcluded, !isExcluded});
          expectBoth(x, {{2}, {2}, {0}, {1}, isExcluded, !isExcluded});
        }
      }
    }
  }
}

TEST_P(PoolOnGpu, windows_of_one_layer_are_those_of_torch) {
  for (const auto dtype : kDtypes) {
    const Tensor dense = random({2, 24, 5, 28, 32}, dtype);
    for (const Tensor& x : {dense, channelsLast(dense)}) {
      expectBoth(x, {{1, 3, 3}, {1, 2, 2}, {0, 1, 1}});
      expectBoth(x, {{1, 2, 2}, {2, 2, 2}});
      expectBoth(x, {{3, 3, 3}, {1, 2, 2}, {1, 1, 1}});
    }
  }
}

TEST_P(PoolOnGpu, more_than_2_31_elements) {
  try {
    for (const bool last : {false, true}) {
      const Tensor flat = at::randn({66000, 8, 64, 64}, of(at::kBFloat16));
      const Tensor x = last ? flat.view({-1, 64, 64, 8}).permute({0, 3, 1, 2}) : flat;
      for (const Windows& w : {Windows{{3}, {2}, {1}}, Windows{{4}, {3}, {2}}}) {
        const Tensor y = maxPool(x, w);
        for (const std::int64_t image : {std::int64_t{0}, x.size(0) / 2 + 5, x.size(0) - 2}) {
          EXPECT_TRUE(
              at::equal(y.slice(0, image, image + 2), theirMax(x.slice(0, image, image + 2).clone(), w)));
        }
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

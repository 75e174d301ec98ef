// kadvise::upsample_nearest, upsample_bilinear and upsample_bicubic against torch's operators, and against
// double precision.
#include "tests/kernels/on_device.h"

#include <torch/csrc/autograd/autograd.h>

#include <limits>
#include <random>

namespace kadvise::test {

struct Upsample : OnDevice {};
struct UpsampleOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Upsample, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, UpsampleOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

using Sizes = std::optional<std::vector<std::int64_t>>;
using Factors = std::optional<std::vector<double>>;

enum class Mode { Nearest, NearestExact, Bilinear, BilinearCorners, Bicubic, BicubicCorners };
constexpr Mode kModes[] = {Mode::Nearest,         Mode::NearestExact, Mode::Bilinear,
                           Mode::BilinearCorners, Mode::Bicubic,      Mode::BicubicCorners};

bool isNearest(Mode mode) { return mode <= Mode::NearestExact; }
bool isCubic(Mode mode) { return mode >= Mode::Bicubic; }
bool hasCorners(Mode mode) { return mode == Mode::BilinearCorners || mode == Mode::BicubicCorners; }

template <class To, class From>
std::optional<at::ArrayRef<To>> ref(const std::optional<std::vector<From>>& list) {
  return list ? std::optional<at::ArrayRef<To>>(*list) : std::nullopt;
}

Tensor upsample(const Tensor& x, Mode mode, const Sizes& size, const Factors& factors) {
  using Call = Tensor(const Tensor&, at::OptionalSymIntArrayRef, std::optional<at::ArrayRef<double>>, bool);
  static const auto nearest = operatorNamed<Call>("upsample_nearest");
  static const auto bilinear = operatorNamed<Call>("upsample_bilinear");
  static const auto bicubic = operatorNamed<Call>("upsample_bicubic");
  const auto symbolic =
      size ? std::optional<std::vector<c10::SymInt>>({size->begin(), size->end()}) : std::nullopt;
  const at::OptionalSymIntArrayRef sizes =
      symbolic ? at::OptionalSymIntArrayRef(*symbolic) : at::OptionalSymIntArrayRef();
  const bool option = mode == Mode::NearestExact || hasCorners(mode);
  return (isNearest(mode) ? nearest
          : isCubic(mode) ? bicubic
                          : bilinear)
      .call(x, sizes, ref<double>(factors), option);
}

// As F.interpolate does it, and with a size besides factors as exported programs do.
Tensor theirs(const Tensor& x, Mode mode, const Sizes& size, const Factors& factors) {
  std::vector<std::int64_t> to;
  for (std::size_t d = 0; d < 2; ++d)
    to.push_back(size ? (*size)[d]
                      : static_cast<std::int64_t>(
                            static_cast<double>(x.size(static_cast<std::int64_t>(d) + 2)) * (*factors)[d]));
  const auto down = factors ? std::optional<double>((*factors)[0]) : std::nullopt,
             along = factors ? std::optional<double>((*factors)[1]) : std::nullopt;
  if (mode == Mode::Nearest) return at::upsample_nearest2d(x, to, down, along);
  if (mode == Mode::NearestExact) return at::_upsample_nearest_exact2d(x, to, down, along);
  return isCubic(mode) ? at::upsample_bicubic2d(x, to, hasCorners(mode), down, along)
                       : at::upsample_bilinear2d(x, to, hasCorners(mode), down, along);
}

Tensor channelsLast(const Tensor& x) { return x.contiguous(at::MemoryFormat::ChannelsLast); }

void expectThatOfTorch(const Tensor& x, Mode mode, const Sizes& size, const Factors& factors) {
  SCOPED_TRACE(testing::Message() << toString(x.scalar_type()) << ' ' << x.sizes() << ' ' << x.strides()
                                  << " mode " << static_cast<int>(mode) << " to "
                                  << size.value_or(std::vector<std::int64_t>()) << " by "
                                  << factors.value_or(std::vector<double>()));
  const Tensor ours = upsample(x, mode, size, factors), their = theirs(x, mode, size, factors);
  EXPECT_EQ(ours.sizes(), their.sizes());
  EXPECT_EQ(ours.strides(), their.strides());
  if (isNearest(mode)) {
    EXPECT_TRUE(at::equal(ours, their));
  } else {
    expectAsAccurate(ours, their, theirs(x.to(at::kDouble), mode, size, factors), kOtherAlgorithm);
  }
}

TEST_P(Upsample, is_that_of_torch_over_360_drawn_sizes) {
  std::mt19937 draw(3);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  const auto factor = [&] { return std::vector<double>{2, 2, 4, 8, 1.5, 0.7, 3, 0.5, 2.3}[draw() % 9]; };
  for (int i = 0; i < 360; ++i) {
    const auto size = [&] { return one({1, 2, 3, 7, 8, 16, 20, 33, 64}); };
    Tensor x = random({one({1, 2, 3}), one({1, 3, 8, 16, 20, 64}), size(), size()}, kDtypes[i / 6 % 3]);
    if (one({0, 1}) == 1) x = channelsLast(x);
    const double down = factor(), along = one({0, 1, 1}) == 0 ? factor() : down;
    const auto scaled = [&](std::int64_t dim, double by) {
      return std::max<std::int64_t>(1, static_cast<std::int64_t>(static_cast<double>(x.size(dim)) * by));
    };
    const Sizes to =
        one({0, 1, 1}) == 0 ? std::vector{size(), size()} : std::vector{scaled(2, down), scaled(3, along)};
    const bool byFactors = one({0, 1}) == 1 && static_cast<double>(x.size(2)) * down >= 1 &&
                           static_cast<double>(x.size(3)) * along >= 1;
    if (byFactors) {
      expectThatOfTorch(x, kModes[i % 6], {}, std::vector{down, along});
    } else {
      expectThatOfTorch(x, kModes[i % 6], to, {});
    }
  }
}

TEST_P(Upsample, a_size_beside_factors_takes_the_distances_of_the_factors) {
  for (const Mode mode : kModes) {
    for (const auto dtype : kDtypes) {
      const Tensor x = random({2, 8, 9, 11}, dtype);
      expectThatOfTorch(x, mode, std::vector<std::int64_t>{13, 16}, std::vector{1.5, 1.5});
      expectThatOfTorch(channelsLast(x), mode, std::vector<std::int64_t>{13, 22}, std::vector{1.55, 2.0});
      if (mode == Mode::Bicubic)
        expectThatOfTorch(x, mode, std::vector<std::int64_t>{30, 44}, std::vector{1.5, 2.0});
    }
  }
}

TEST_P(Upsample, of_one_pixel_and_to_the_same_size) {
  for (const Mode mode : kModes) {
    const Tensor pixel = random({2, 8, 1, 1}, at::kFloat), x = random({2, 8, 6, 5}, at::kFloat);
    for (const std::vector<std::int64_t>& size : {std::vector<std::int64_t>{2, 2}, {1, 1}, {8, 8}, {5, 7}})
      expectThatOfTorch(pixel, mode, size, {});
    expectThatOfTorch(x, mode, std::vector<std::int64_t>{6, 5}, {});
    expectThatOfTorch(x, mode, std::vector<std::int64_t>{6, 10}, {});
    expectThatOfTorch(x, mode, std::vector<std::int64_t>{1, 1}, {});
    expectThatOfTorch(x, mode, {}, std::vector{1.0, 1.0});
  }
}

TEST_P(Upsample, takes_views_and_misaligned_memory) {
  for (const auto dtype : kDtypes) {
    const Tensor flat = random({2 * 16 * 8 * 8 + 1}, dtype).slice(0, 1), base = random({2, 40, 9, 16}, dtype);
    const Tensor views[] = {base.slice(1, 3, 19),     channelsLast(base).slice(1, 3, 19),
                            flat.view({2, 16, 8, 8}), flat.view({2, 8, 8, 16}).permute({0, 3, 1, 2}),
                            base.slice(3, 1, 15),     base.transpose(2, 3)};
    for (const Tensor& x : views) {
      for (const Mode mode : kModes) {
        expectThatOfTorch(x, mode, {}, std::vector{2.0, 2.0});
        expectThatOfTorch(x, mode, std::vector<std::int64_t>{12, 31}, {});
      }
    }
  }
}

TEST_P(Upsample, of_nan_and_infinities_is_that_of_torch) {
  const double infinity = std::numeric_limits<double>::infinity();
  for (const auto dtype : kDtypes) {
    for (const bool last : {false, true}) {
      Tensor x = random({2, 8, 12, 16}, dtype);
      x[1][3][10][11].fill_(std::numeric_limits<double>::quiet_NaN());
      x[0][2].fill_(-infinity);
      x[0][1][0][0].fill_(infinity);
      x[0][4][1][1].fill_(infinity);
      x[0][5][11][15].fill_(infinity);
      if (last) x = channelsLast(x);
      for (const Mode mode : kModes) {
        if (isCubic(mode))
          continue;  // of which torch's own kernels differ: sums of infinities of either sign
        for (const std::vector<std::int64_t>& size :
             {std::vector<std::int64_t>{24, 32}, {48, 64}, {16, 64}, {6, 8}})
          EXPECT_TRUE(at::allclose(upsample(x, mode, size, {}), theirs(x, mode, size, {}), 2e-2, 1e-2, true));
      }
    }
  }
}

TEST_P(Upsample, lies_in_memory_as_x_does_on_meta_tensors_too) {
  const Tensor x = random({2, 8, 15, 17}, at::kFloat);
  for (const Tensor& image : {x, channelsLast(x), x.slice(1, 0, 1), channelsLast(x).slice(2, 0, 1)}) {
    for (const Mode mode : kModes) {
      const Tensor real = upsample(image, mode, {}, std::vector{2.0, 1.5}),
                   meta = upsample(onMeta(image), mode, {}, std::vector{2.0, 1.5});
      EXPECT_TRUE(meta.is_meta());
      EXPECT_EQ(real.sizes(), meta.sizes());
      EXPECT_EQ(real.strides(), meta.strides()) << image.sizes() << image.strides();
    }
  }
}

TEST_P(Upsample, of_other_dtypes_and_with_gradients_is_done_by_torch) {
  const Factors twice = std::vector{2.0, 2.0};
  for (const Mode mode : kModes) {
    expectThatOfTorch(random({2, 4, 9, 9}, at::kDouble), mode, {}, twice);
    const Tensor x = random({2, 4, 9, 9}, at::kFloat).requires_grad_();
    // Torch's kernels for it on a GPU add in any order.
    EXPECT_TRUE(at::allclose(torch::autograd::grad({upsample(x, mode, {}, twice).square().sum()}, {x})[0],
                             torch::autograd::grad({theirs(x, mode, {}, twice).square().sum()}, {x})[0], 1e-4,
                             1e-4));
  }
  EXPECT_EQ(upsample(random({0, 4, 3, 3}, at::kFloat), Mode::Bilinear, {}, twice).sizes(),
            at::IntArrayRef({0, 4, 6, 6}));
}

TEST_P(Upsample, refuses_what_torch_refuses) {
  const Tensor x = random({2, 4, 9, 9}, at::kFloat);
  for (const std::vector<std::int64_t>& size : {std::vector<std::int64_t>{0, 3}, {-1, 3}})
    EXPECT_EQ(outcomeOf([&] { upsample(x, Mode::Bilinear, size, {}); }),
              outcomeOf([&] { theirs(x, Mode::Bilinear, size, {}); }));
  const auto refused = [&](const Tensor& image, const Sizes& size, const Factors& factors) {
    EXPECT_NE(outcomeOf([&] { upsample(image, Mode::Bilinear, size, factors); }), "no error");
  };
  refused(x, {}, {});
  refused(x, std::vector<std::int64_t>{3}, {});
  refused(x, {}, std::vector{2.0});
  refused(x, {}, std::vector{0.01, 1.0});
  refused(x, {}, std::vector{1e300, 1.0});
  refused(x[0], {}, std::vector{2.0, 2.0});
}

TEST_P(UpsampleOnGpu, more_than_2_31_elements) {
  try {
    for (const bool last : {false, true}) {
      const Tensor flat = at::randn({17000, 8, 64, 64}, of(at::kBFloat16));
      const Tensor x = last ? flat.view({-1, 64, 64, 8}).permute({0, 3, 1, 2}) : flat;
      for (const Mode mode : {Mode::Nearest, Mode::Bilinear, Mode::Bicubic}) {
        const Tensor y = upsample(x, mode, {}, std::vector{2.0, 2.0});
        for (const std::int64_t image : {std::int64_t{0}, x.size(0) / 2 + 5, x.size(0) - 2}) {
          const Tensor part = theirs(x.slice(0, image, image + 2).clone(), mode, {}, std::vector{2.0, 2.0});
          EXPECT_TRUE(at::allclose(y.slice(0, image, image + 2), part, 2e-2, 2e-2));
        }
      }
    }
    const Tensor plane = at::randn({1, 1, 1000, 1000}, of(at::kBFloat16)),  // one plane of more
        y = upsample(plane, Mode::Bilinear, std::vector<std::int64_t>{47000, 47000}, {});
    const Tensor rows =
        upsample(plane.slice(2, 990), Mode::Bilinear, std::vector<std::int64_t>{470, 47000}, {});
    EXPECT_TRUE(at::allclose(y.slice(2, 47000 - 60), rows.slice(2, 470 - 60), 5e-2, 5e-2));
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

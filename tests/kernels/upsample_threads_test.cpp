// The threads of the upsampling kernels, run on the CPU one after another: every output written once, nothing
// read or written outside, and the values those of torch.
#include "kernels/upsample/dims.h"
#include "kernels/upsample/forms.h"
#include "tests/kernels/host_memory.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace kadvise::test {
namespace {

using at::Tensor;
using Factor = std::optional<double>;

template <UpsampleMode kMode>
struct RunUpsample {
  const UpsampleArgs& a;
  HostAccess& access;
  std::int64_t enough;  // rows that threads go down are many where little is enough

  template <class Form>
  bool whole() const {
    const WholeGrid grid = wholeGrid<Form>(a, areAt16Bytes(a));
    const HostMemory memory{&access};
    for (std::uint32_t thread = 0; thread < grid.threads; ++thread)
      WholeThread<kMode, Form, HostMemory>(a, grid, thread, memory).run();
    return true;
  }
  template <class Form>
  bool any() const {
    const UpsampleGrid grid = upsampleGrid<Form>(a, enough);
    const HostMemory memory{&access};
    for (std::int64_t thread = 0; thread < grid.threads; ++thread)
      MarchThread<kMode, Form, HostMemory>(a, grid, thread, memory).run();
    return false;
  }
};

struct How {
  int lanes;            // elements of what a thread moves at once, 4 of floats, 8 of 16 bits
  std::int64_t enough;  // of little, threads go down many rows
  bool isXBeside, isResultBeside;
};

struct Case {
  UpsampleMode mode;
  Aligned aligned;
  std::int64_t rows, columns;  // of the result
  Factor down, along;
  bool channelsLast;
};

Tensor ofTorch(const Tensor& x, const Case& c) {
  const bool corners = c.aligned == Aligned::Corners;
  const std::int64_t size[] = {c.rows, c.columns};
  if (c.mode == UpsampleMode::Bilinear) return at::upsample_bilinear2d(x, size, corners, c.down, c.along);
  if (c.mode == UpsampleMode::Bicubic) return at::upsample_bicubic2d(x, size, corners, c.down, c.along);
  return c.aligned == Aligned::Edges ? at::_upsample_nearest_exact2d(x, size, c.down, c.along)
                                     : at::upsample_nearest2d(x, size, c.down, c.along);
}

// Whether it is by a whole factor.
template <UpsampleMode kMode>
bool runBy(const How& how, const UpsampleArgs& a, HostAccess& access) {
  const RunUpsample<kMode> run{a, access, how.enough};
  return how.lanes == 8 ? withUpsampleForm<kMode, 8>(a, run) : withUpsampleForm<kMode, 4>(a, run);
}

bool runAs(const How& how, const UpsampleArgs& a, HostAccess& access) {
  if (a.mode == UpsampleMode::Nearest) return runBy<UpsampleMode::Nearest>(how, a, access);
  if (a.mode == UpsampleMode::Bilinear) return runBy<UpsampleMode::Bilinear>(how, a, access);
  return runBy<UpsampleMode::Bicubic>(how, a, access);
}

// Memory that begins at no multiple of 16 bytes.
Tensor besides(const Tensor& like) {
  return at::empty({like.numel() + 1}, like.options()).as_strided(like.sizes(), like.strides(), 1);
}

// Whether it was by a whole factor.
bool expectRight(const Tensor& images, const Case& c, const How& how, double tolerance = 2e-5) {
  const auto format = c.channelsLast ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::Contiguous;
  Tensor x = images.contiguous(format);
  if (how.isXBeside) x = besides(x).copy_(x);
  const Tensor exact = ofTorch(x, c);
  Tensor y = at::empty(exact.sizes(), x.options(), format);
  if (how.isResultBeside) y = besides(y);
  HostAccess access(x, y);
  const UpsampleArgs a{x.const_data_ptr(),
                       y.mutable_data_ptr(),
                       x.size(0),
                       x.size(1),
                       upsampleDim(c.mode, c.aligned, x.size(2), c.rows, c.down),
                       upsampleDim(c.mode, c.aligned, x.size(3), c.columns, c.along),
                       c.channelsLast,
                       c.mode,
                       Dtype::Float};
  SCOPED_TRACE(testing::Message() << x.sizes() << (c.channelsLast ? " channels last" : "") << " to " << c.rows
                                  << " x " << c.columns << " mode " << static_cast<int>(c.mode) << " aligned "
                                  << static_cast<int>(c.aligned) << " factors " << c.down.value_or(0) << ' '
                                  << c.along.value_or(0) << " lanes " << how.lanes << " enough " << how.enough
                                  << " beside " << how.isXBeside << how.isResultBeside);
  const bool isWhole = runAs(how, a, access);
  EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside, " << access.misaligned
                               << " misaligned";
  const bool same = c.mode == UpsampleMode::Nearest
                        ? at::allclose(y, exact, 0, 0, /*equal_nan=*/true)
                        : at::allclose(y, exact, tolerance, tolerance, /*equal_nan=*/true);
  EXPECT_TRUE(same);
  return isWhole;
}

struct Draw {
  std::mt19937 bits;
  std::int64_t of(std::initializer_list<std::int64_t> from) { return from.begin()[bits() % from.size()]; }
  bool maybe() { return of({0, 1}) == 1; }

  How how() {
    const bool isBeside = of({0, 0, 0, 1}) == 1;
    return {maybe() ? 4 : 8, of({1, 1000, kEnoughOfRows}), isBeside && maybe(), isBeside && maybe()};
  }
  Aligned aligned(UpsampleMode mode) {
    if (mode == UpsampleMode::Nearest) return maybe() ? Aligned::FirstElements : Aligned::Edges;
    return maybe() ? Aligned::Corners : Aligned::Edges;
  }
};

TEST(UpsampleThreads, do_their_part_by_whole_factors) {
  at::manual_seed(7);
  Draw draw{std::mt19937(9)};
  for (int i = 0; i < 400; ++i) {
    const auto mode = draw.maybe() ? UpsampleMode::Bilinear : UpsampleMode::Nearest;
    const std::int64_t factor = draw.of({2, 4, 8});
    const Tensor x = at::randn({draw.of({1, 2}), draw.of({1, 3, 4, 8, 24}), draw.of({1, 2, 3, 4, 7, 8}),
                                draw.of({1, 2, 3, 4, 5, 8, 12})});
    const auto given = draw.maybe() ? Factor(factor) : std::nullopt;
    const Case c{mode, Aligned::Edges, x.size(2) * factor, x.size(3) * factor, given, given, draw.maybe()};
    const How how = draw.how();
    const bool isTogether = x.size(1) % how.lanes == 0 && !how.isXBeside && !how.isResultBeside;
    EXPECT_EQ(expectRight(x, c, how), !c.channelsLast || isTogether);
  }
}

TEST(UpsampleThreads, do_their_part_at_any_size) {
  at::manual_seed(8);
  Draw draw{std::mt19937(10)};
  const auto size = [&] { return draw.of({1, 2, 3, 5, 8, 13, 16, 31}); };
  for (int i = 0; i < 600; ++i) {
    const auto mode = static_cast<UpsampleMode>(i % 3);
    const Tensor x = at::randn({draw.of({1, 2, 3}), draw.of({1, 3, 4, 5, 8}), size(), size()});
    Case c{mode, draw.aligned(mode), size(), size(), {}, {}, draw.maybe()};
    expectRight(x, c, draw.how());
  }
}

// Rows that are no multiples of 16 bytes, and few or odd numbers of channels.
TEST(UpsampleThreads, do_their_part_in_rows_of_any_length) {
  at::manual_seed(15);
  Draw draw{std::mt19937(17)};
  for (int i = 0; i < 600; ++i) {
    const auto mode = static_cast<UpsampleMode>(i % 3);
    const Tensor x = at::randn(
        {draw.of({1, 2}), draw.of({1, 2, 3, 4, 5, 8, 12, 21}), draw.of({3, 7, 20}), draw.of({1, 5, 10, 25})});
    const Case c{mode, draw.aligned(mode), draw.of({20, 41, 64}), draw.of({7, 10, 26, 50, 75, 100}), {},
                 {},   draw.maybe()};
    expectRight(x, c, draw.how());
  }
}

TEST(UpsampleThreads, keep_up_along_rows_of_thousands) {
  at::manual_seed(12);
  Draw draw{std::mt19937(14)};
  for (int i = 0; i < 60; ++i) {
    const auto mode = i % 2 == 0 ? UpsampleMode::Bilinear : UpsampleMode::Bicubic;
    const std::int64_t columns = draw.of({500, 1023, 2500}),
                       result = draw.of({513, 700, 1024, 2046, 5000, 5001, 9000});
    const Case c{mode, draw.aligned(mode), 3, result, {}, {}, false};
    expectRight(at::randn({1, 5, 2, columns}), c, draw.how(), 2e-3);  // float counts columns so far
  }
}

TEST(UpsampleThreads, take_factors_that_do_not_divide) {
  at::manual_seed(9);
  Draw draw{std::mt19937(11)};
  for (int i = 0; i < 300; ++i) {
    const auto mode = static_cast<UpsampleMode>(i % 3);
    const Tensor x = at::randn({1, draw.of({3, 8}), draw.of({2, 7, 12}), draw.of({3, 8, 11})});
    const double factors[] = {0.5, 0.7, 1.5, 1.7, 2.3, 3.0, 2.0, 5.5};
    const double down = factors[draw.bits() % 8], along = factors[draw.bits() % 8];
    const auto size = [&](std::int64_t dim, double f) {
      return static_cast<std::int64_t>(static_cast<double>(x.size(dim)) * f);
    };
    const Case c{mode, draw.aligned(mode), size(2, down), size(3, along), down, along, draw.maybe()};
    // Torch's nearest on a CPU takes these for a factor of 2; on a GPU it does not, and neither do ours.
    const auto isDoubled = [&](std::int64_t n, std::int64_t result, double f) {
      return result == 2 * n && f != 2;
    };
    if (c.mode == UpsampleMode::Nearest &&
        (isDoubled(x.size(2), c.rows, down) || isDoubled(x.size(3), c.columns, along)))
      continue;
    expectRight(x, c, draw.how());
  }
}

// A size that is more than the factors make of x: what lies behind its last element is that element.
TEST(UpsampleThreads, go_on_with_the_last_element_behind_the_image) {
  at::manual_seed(14);
  Draw draw{std::mt19937(15)};
  for (int i = 0; i < 60; ++i) {
    const Tensor x = at::randn({1, 8, draw.of({2, 7}), draw.of({3, 8})});
    const double factor = i % 2 == 0 ? 1.3 : 2.5;
    const Case c{UpsampleMode::Bicubic, Aligned::Edges, 7 * x.size(2), 5 * x.size(3), factor, factor,
                 draw.maybe()};
    expectRight(x, c, draw.how());
  }
}

// Torch multiplies some elements by zero: what is no number shows there, too.
TEST(UpsampleThreads, show_infinities_and_nan_where_torch_does) {
  at::manual_seed(10);
  Draw draw{std::mt19937(12)};
  for (int i = 0; i < 200; ++i) {
    const auto mode = i % 2 == 0 ? UpsampleMode::Bilinear : UpsampleMode::Nearest;
    const std::int64_t rows = draw.of({1, 2, 3, 4, 8}), columns = draw.of({1, 2, 4, 6}),
                       factor = draw.of({2, 4, 8});
    const Tensor x = at::randn({1, 8, rows, columns});
    const double infinity = std::numeric_limits<double>::infinity();
    for (std::int64_t plane = 0; plane < 6; ++plane)
      x[0][plane][draw.bits() % rows][draw.bits() % columns].fill_(plane % 2 == 0 ? infinity : std::nan(""));
    // Ratios that floats hold: of others it is rounding that says which element is multiplied by zero.
    const std::int64_t along = draw.maybe() ? factor : factor == 2 ? 4 : 2;
    const Case c{mode, Aligned::Edges, rows * factor, columns * along, {}, {}, draw.maybe()};
    expectRight(x, c, draw.how());
  }
}

// Sizes and factors that do not belong together lead outside of x: never in memory.
TEST(UpsampleThreads, stay_within_the_image_whatever_the_factor_is) {
  at::manual_seed(11);
  Draw draw{std::mt19937(13)};
  for (int i = 0; i < 120; ++i) {
    const auto mode = static_cast<UpsampleMode>(i % 3);
    const Tensor x = at::randn({1, 4, 5, 6});
    const double factors[] = {1e-300, 1e-9, 0.01, 1e9, 1e300, std::nan("")};
    Tensor y = at::empty({1, 4, 9, 16});
    HostAccess access(x, y);
    const auto dim = [&](std::int64_t at) {
      return upsampleDim(mode, draw.aligned(mode), x.size(at), y.size(at), factors[draw.bits() % 6]);
    };
    const UpsampleArgs a{x.const_data_ptr(), y.mutable_data_ptr(), 1, 4, dim(2), dim(3), false, mode,
                         Dtype::Float};
    runAs(draw.how(), a, access);
    EXPECT_TRUE(access.isGood()) << access.outside << " accesses outside";
  }
}

}  // namespace
}  // namespace kadvise::test

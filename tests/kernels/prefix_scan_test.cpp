// kadvise::prefix_scan against torch's operators and against double precision.
#include "tests/kernels/generated.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct PrefixScan : OnDevice {};
struct PrefixScanOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, PrefixScan, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, PrefixScanOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

struct Case {
  Tensor x;
  std::int64_t dim = -1;
  std::string kind = "sum";
  bool exclusive = false, reverse = false;
  Maybe mask;
};

Tensor scan(const Case& c) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, std::int64_t, c10::string_view, bool, bool, const Maybe&)>(
          "prefix_scan");
  return op.call(c.x, c.dim, c.kind, c.exclusive, c.reverse, c.mask);
}

double identityOf(const std::string& kind) {
  return kind == "sum" ? 0 : kind == "prod" ? 1 : -std::numeric_limits<double>::infinity();
}

Tensor writtenOut(const Case& c) {
  Tensor v = c.mask ? c.x * *c.mask : c.x;
  if (c.reverse) v = v.flip({c.dim});
  v = c.kind == "sum"    ? at::cumsum(v, c.dim)
      : c.kind == "prod" ? at::cumprod(v, c.dim)
                         : at::logcumsumexp(v, c.dim);
  if (c.exclusive && v.numel() > 0) {
    v = at::cat(
        {at::full_like(v.narrow(c.dim, 0, 1), identityOf(c.kind)), v.narrow(c.dim, 0, v.size(c.dim) - 1)},
        c.dim);
  }
  return c.reverse ? v.flip({c.dim}) : v;
}

// Where the exact value is infinite, as the logarithm of an empty sum is, ours is the same infinity.
void expectScan(const Case& c) {
  Case high = c, meta = c;
  high.x = c.x.to(at::kDouble);
  meta.x = onMeta(c.x);
  if (c.mask) meta.mask = onMeta(*c.mask);
  const Tensor ours = scan(c), exact = writtenOut(high), finite = exact.isfinite();
  EXPECT_TRUE(at::equal(ours.to(at::kDouble).masked_select(finite.logical_not()),
                        exact.masked_select(finite.logical_not())));
  const auto masked = [&](const Tensor& t) { return t.masked_fill(finite.logical_not(), 0); };
  expectAsAccurate(masked(ours), masked(writtenOut(c)), masked(exact), kOtherAlgorithm);
  const Tensor shape = scan(meta);
  EXPECT_EQ(ours.strides(), at::empty_like(c.x).strides());
  EXPECT_EQ(shape.sizes(), ours.sizes());
  EXPECT_EQ(shape.strides(), ours.strides());
  EXPECT_EQ(shape.scalar_type(), ours.scalar_type());
}

TEST_P(PrefixScan, is_as_accurate_as_written_out_in_generated_cases) {
  Draw draw(3);
  for (int i = 0; i < kGeneratedCases; ++i) {
    Case c;
    c.kind = draw.of<const char*>({"sum", "sum", "prod", "logsumexp"});
    c.exclusive = draw.coin();
    c.reverse = draw.coin();
    c.dim = draw.of<std::int64_t>({0, 1, 2, -1});
    const std::int64_t a = draw.of<std::int64_t>({1, 2, 5}), b = draw.of<std::int64_t>({1, 3, 9, 65}),
                       length = draw.of<std::int64_t>({1, 2, 8, 31, 40, 257, 1025, 2100});
    const bool isProduct = c.kind == "prod";  // of factors near 1, which neither vanish nor overflow
    c.x = draw.sequence(random({a, b, length}, draw.dtype(), isProduct ? 1 : 0, isProduct ? 0.02 : 1));
    if (draw.coin()) c.mask = (random({a, b, length}, at::kFloat) > (isProduct ? -9 : -0.3));
    SCOPED_TRACE(testing::Message() << i << ": " << c.kind << toString(c.x.scalar_type()) << c.x.sizes()
                                    << c.x.strides() << " dim " << c.dim << c.exclusive << c.reverse
                                    << c.mask.has_value());
    expectScan(c);
  }
}

TEST_P(PrefixScan, of_other_layouts_masks_and_ranks_is_that_of_torch) {
  const Tensor x = random({4, 6, 10, 7}, at::kFloat);
  for (const std::int64_t dim : {0, 1, 2, 3}) {
    expectScan({x, dim});
    expectScan({x.permute({2, 0, 3, 1}), dim});
    expectScan({x.slice(3, 1, 7, 2), dim});
    expectScan({x.slice(0, 0, 1).expand({4, 6, 10, 7}).contiguous(), dim, "sum", true, true,
                random({10, 1}, at::kFloat) > 0});
  }
  expectScan({random({9}, at::kHalf), 0, "sum", true});
  expectScan({random({0, 9}, at::kHalf), 0});
  expectScan({random({9, 0}, at::kHalf), 1, "prod", true, true});
  EXPECT_EQ(scan({random({}, at::kFloat), 0, "sum", true}).item<float>(), 0);
}

TEST_P(PrefixScan, carries_infinities_and_nan_as_torch) {
  const double infinity = std::numeric_limits<double>::infinity(),
               nan = std::numeric_limits<double>::quiet_NaN();
  for (const auto& values : std::vector<std::vector<double>>{
           {1, -infinity, 2, infinity, 3}, {-infinity, -infinity, 1}, {1, nan, 2}, {infinity, 1, 2}}) {
    for (const char* kind : {"sum", "prod", "logsumexp"}) {
      const Tensor x = at::tensor(values, at::kDouble).to(of(at::kFloat));
      EXPECT_TRUE(at::allclose(scan({x, 0, kind}), writtenOut({x, 0, kind}), 1e-5, 1e-6, /*equal_nan=*/true))
          << kind << x;
    }
  }
}

TEST_P(PrefixScan, of_what_it_does_not_know_is_an_error) {
  const Tensor x = random({4, 8}, at::kFloat);
  const auto outcome = [](const Case& c) { return outcomeOf([&] { scan(c); }); };
  EXPECT_NE(outcome({x, 1, "max"}).find("there is no kind 'max'"), std::string::npos);
  EXPECT_NE(outcome({x, 1, "sum", false, false, x}).find("mask must be bool"), std::string::npos);
  EXPECT_NE(
      outcome({x, 1, "sum", false, false, random({5, 1, 1}, at::kFloat) > 0}).find("mask must broadcast"),
      std::string::npos);
  EXPECT_NE(outcome({at::ones({3}, of(at::kLong)), 0}).find("floating point"), std::string::npos);
  EXPECT_NE(outcome({x, 2}).find("Dimension out of range"), std::string::npos);
}

TEST_P(PrefixScan, of_doubles_is_done_by_torch_and_has_its_gradient) {
  const Case c{
      random({4, 8}, at::kDouble).requires_grad_(), 1, "sum", true, true, random({4, 8}, at::kFloat) > 0};
  EXPECT_TRUE(at::equal(scan(c), writtenOut(c)));
  const auto gradient = [&](const Tensor& y) { return torch::autograd::grad({y.square().sum()}, {c.x})[0]; };
  EXPECT_TRUE(at::allclose(gradient(scan(c)), gradient(writtenOut(c))));
}

TEST_P(PrefixScanOnGpu, more_than_2_31_elements) {
  try {
    const Tensor x = at::randn({(std::int64_t{1} << 20) + 3, 2056}, of(at::kBFloat16));
    for (const Tensor& whole : {x, x.slice(1, 1), x.view({-1, 2056, 1}).expand({-1, 2056, 1})}) {
      const Tensor ours = scan({whole, 1});
      for (const std::int64_t row : {std::int64_t{0}, whole.size(0) - 8}) {
        const auto part = [&](const Tensor& t) { return t.slice(0, row, row + 8).to(at::kDouble); };
        EXPECT_LE((part(ours) - at::cumsum(part(whole), 1)).abs().max().item<double>(), 1) << "row " << row;
      }
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

// kadvise::roll is torch.roll, bit by bit.
#include "tests/kernels/on_device.h"

#include <random>

namespace kadvise::test {

struct Roll : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, Roll, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });

namespace {

Tensor rolled(const Tensor& x, at::IntArrayRef shifts, at::IntArrayRef dims) {
  static const auto op = operatorNamed<Tensor(const Tensor&, at::IntArrayRef, at::IntArrayRef)>("roll");
  return op.call(x, shifts, dims);
}

void expectRight(const Tensor& x, at::IntArrayRef shifts, at::IntArrayRef dims) {
  const Tensor ours = rolled(x, shifts, dims), theirs = at::roll(x, shifts, dims);
  EXPECT_TRUE(at::equal(ours, theirs));
  EXPECT_EQ(ours.strides(), theirs.strides());
  const Tensor meta = rolled(onMeta(x), shifts, dims);
  EXPECT_EQ(meta.sizes(), ours.sizes());
}

TEST_P(Roll, is_that_of_torch_over_200_drawn_cases) {
  std::mt19937 draw(5);
  const auto one = [&](std::vector<std::int64_t> from) { return from[draw() % from.size()]; };
  for (int i = 0; i < 200; ++i) {
    const at::ScalarType dtypes[] = {at::kFloat, at::kHalf, at::kBFloat16,
                                     at::kLong,  at::kByte, at::kComplexDouble};
    const auto dtype = dtypes[static_cast<std::size_t>(i) % 6];
    std::vector<std::int64_t> sizes, shifts, dims;
    const std::int64_t rank = one({1, 2, 3, 4, 5, 8});
    for (std::int64_t d = 0; d < rank; ++d) {
      sizes.push_back(one(rank > 5 ? std::vector<std::int64_t>{1, 2, 3}
                                   : std::vector<std::int64_t>{1, 2, 3, 7, 8, 14, 16, 33}));
      if (draw() % 2 == 0) continue;
      dims.push_back(draw() % 2 == 0 ? d : d - rank);
      shifts.push_back(one({-40, -3, -1, 0, 1, 2, 7, 50}));
    }
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << " " << at::IntArrayRef(sizes) << ", "
                                    << at::IntArrayRef(shifts) << " in " << at::IntArrayRef(dims));
    if (dims.empty()) continue;
    Tensor x = (at::randn(sizes) * 50).to(of(dtype));
    if (draw() % 4 == 0 && rank > 1) x = x.transpose(0, 1);
    if (draw() % 4 == 0 && x.size(0) > 1) x = x.slice(0, 1);
    expectRight(x, shifts, dims);
  }
}

TEST_P(Roll, of_nothing_of_one_number_flat_and_of_a_dimension_twice) {
  expectRight(random({0, 3}, at::kFloat), {1}, {1});
  expectRight(random({5, 3}, at::kFloat), {4}, {});
  expectRight(random({5, 3}, at::kFloat), {1, 1}, {0, 0});
  EXPECT_NE(outcomeOf([&] { rolled(random({5, 3}, at::kFloat), {1}, {0, 1}); }), "no error");
  EXPECT_NE(outcomeOf([&] { rolled(random({5, 3}, at::kFloat), {1}, {2}); }), "no error");
}

}  // namespace
}  // namespace kadvise::test

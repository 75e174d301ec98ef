// kadvise::gather_scatter_add against messages written out and against double precision.
#include "tests/kernels/generated.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct GatherScatterAdd : OnDevice {};
struct GatherScatterAddOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, GatherScatterAdd, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, GatherScatterAddOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

struct Case {
  Tensor x, source, target;
  Maybe scale;
  std::int64_t size;
};

Tensor summed(const Case& c) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Maybe&, c10::SymInt)>(
          "gather_scatter_add");
  return op.call(c.x, c.source, c.target, c.scale, c.size);
}

Tensor writtenOut(const Case& c) {
  Tensor messages = c.x.index_select(0, c.source);
  if (c.scale) messages = messages * c.scale->reshape({-1, 1});
  return at::zeros({c.size, c.x.size(1)}, messages.options())
      .scatter_add(0, c.target.unsqueeze(-1).expand_as(messages), messages);
}

void expectSums(const Case& c) {
  const Case high{c.x.to(at::kDouble), c.source, c.target, wide(c.scale), c.size};
  const Tensor ours = summed(c);
  expectAsAccurate(ours, writtenOut(c), writtenOut(high), kOtherAlgorithm);
  const Tensor meta = summed(
      {onMeta(c.x), onMeta(c.source), onMeta(c.target), c.scale ? Maybe(onMeta(*c.scale)) : Maybe(), c.size});
  EXPECT_EQ(meta.sizes(), ours.sizes());
  EXPECT_EQ(meta.strides(), ours.strides());
  EXPECT_EQ(meta.scalar_type(), ours.scalar_type());
}

TEST_P(GatherScatterAdd, is_as_accurate_as_written_out_in_generated_cases) {
  Draw draw(4);
  const at::TensorOptions longs = of(at::kLong);
  for (int i = 0; i < kGeneratedCases; ++i) {
    const auto dtype = draw.dtype();
    const std::int64_t nodes = draw.of<std::int64_t>({1, 5, 50}), size = draw.of<std::int64_t>({1, 7, 40});
    const std::int64_t edges = draw.of<std::int64_t>({0, 1, 3, 4, 5, 31, 33, 200, 3000});
    const std::int64_t columns = draw.of<std::int64_t>({1, 3, 4, 8, 12, 20, 64, 100, 300});
    Case c{draw.sequence(random({1, nodes, columns}, dtype))[0], at::randint(nodes, {edges}, longs),
           at::randint(size, {edges}, longs), Maybe(), size};
    if (draw.coin()) c.target = std::get<0>(c.target.sort());
    if (draw.coin()) c.scale = random({edges, 1}, dtype);
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << c.x.sizes() << c.x.strides() << edges
                                    << " edges to " << size);
    expectSums(c);
  }
}

TEST_P(GatherScatterAdd, gives_zeros_to_whom_no_edge_leads) {
  const Tensor edges = at::tensor({2, 2, 2}, of(at::kLong)), x = random({3, 8}, at::kFloat);
  const Tensor ours = summed({x, edges, edges, Maybe(), 4});
  EXPECT_TRUE(at::equal(ours.index_select(0, at::tensor({0, 1, 3}, of(at::kLong))),
                        at::zeros({3, 8}, of(at::kFloat))));
  EXPECT_TRUE(at::allclose(ours[2], 3 * x[2]));
  EXPECT_EQ(summed({x, edges.slice(0, 0, 0), edges.slice(0, 0, 0), Maybe(), 0}).numel(), 0);
}

TEST_P(GatherScatterAdd, of_what_does_not_fit_is_an_error) {
  const Tensor x = random({3, 8}, at::kFloat), edges = at::tensor({2, 2, 2}, of(at::kLong));
  const auto outcome = [](const Case& c) { return outcomeOf([&] { summed(c); }); };
  EXPECT_NE(outcome({x[0], edges, edges, Maybe(), 3}).find("[nodes, columns]"), std::string::npos);
  EXPECT_NE(outcome({x, edges, edges.slice(0, 1), Maybe(), 3}).find("of one length"), std::string::npos);
  EXPECT_NE(outcome({x, edges, edges, random({3, 8}, at::kFloat), 3}).find("for each edge"),
            std::string::npos);
  EXPECT_NE(outcome({x, edges, edges, Maybe(), -1}).find("size is -1"), std::string::npos);
}

TEST_P(GatherScatterAdd, of_mixed_dtypes_is_done_by_torch_and_has_its_gradient) {
  const Tensor edges = at::randint(3, {20}, of(at::kLong)), targets = at::randint(4, {20}, of(at::kLong));
  const Tensor x = random({3, 8}, at::kFloat).requires_grad_();
  const Case c{x, edges, targets, random({20}, at::kFloat).requires_grad_(), 4};
  const auto gradient = [&](const Tensor& y) {
    return torch::autograd::grad({y.square().sum()}, {c.x, *c.scale});
  };
  const auto ours = gradient(summed(c)), theirs = gradient(writtenOut(c));
  for (std::size_t i = 0; i < ours.size(); ++i) EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-4, 1e-5));
  const Case mixed{random({3, 8}, at::kHalf), edges, targets, random({20}, at::kFloat), 4};
  EXPECT_EQ(summed(mixed).scalar_type(), at::kFloat);
  EXPECT_TRUE(at::allclose(summed(mixed), writtenOut(mixed), 1e-4, 1e-5));
}

TEST_P(GatherScatterAddOnGpu, more_than_2_31_elements) {
  try {
    const std::int64_t nodes = (std::int64_t{1} << 20) + 3, columns = 2056;
    const Tensor x = at::randn({nodes, columns}, of(at::kBFloat16)), all = at::arange(nodes, of(at::kLong));
    const Tensor ours = summed({x, all, all.flip({0}), Maybe(), nodes});
    for (const std::int64_t row : {std::int64_t{0}, nodes - 1})
      EXPECT_TRUE(at::equal(ours[row], x[nodes - 1 - row]));
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

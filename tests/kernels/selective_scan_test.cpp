// kadvise::selective_scan against its recurrence written out, and against double precision.
#include "kernels/selective_scan/schedule.h"
#include "tests/kernels/generated.h"

#include <torch/csrc/autograd/autograd.h>

namespace kadvise::test {

struct SelectiveScan : OnDevice {};
struct SelectiveScanOnGpu : OnDevice {};
INSTANTIATE_TEST_SUITE_P(Operators, SelectiveScan, testing::Values("cpu", "cuda"),
                         [](const auto& info) { return std::string(info.param); });
INSTANTIATE_TEST_SUITE_P(Operators, SelectiveScanOnGpu, testing::Values("cuda"),
                         [](const auto&) { return std::string("cuda"); });

namespace {

struct Case {
  Tensor x, dt, A, B, C;
  Maybe D, z, bias;
  bool softplus = true;
};

Tensor scan(const Case& c) {
  static const auto op =
      operatorNamed<Tensor(const Tensor&, const Tensor&, const Tensor&, const Tensor&, const Tensor&,
                           const Maybe&, const Maybe&, const Maybe&, bool)>("selective_scan");
  return op.call(c.x, c.dt, c.A, c.B, c.C, c.D, c.z, c.bias, c.softplus);
}

// As transformers writes it: everything before the recurrence for all times at once.
Tensor writtenOut(const Case& c) {
  Tensor dt = c.bias ? c.dt + c.bias->to(c.dt.scalar_type()).unsqueeze(-1) : c.dt;
  if (c.softplus) dt = at::softplus(dt);
  const auto wide = c.x.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
  const Tensor decay = at::exp(c.A.unsqueeze(1) * dt.unsqueeze(-1));
  const Tensor input =
      dt.unsqueeze(-1) * c.B.transpose(1, 2).unsqueeze(1).to(wide) * c.x.unsqueeze(-1).to(wide);
  Tensor h = at::zeros({c.x.size(0), c.x.size(1), c.A.size(1)}, c.x.options());
  std::vector<Tensor> results;
  for (std::int64_t t = 0; t < c.x.size(2); ++t) {
    h = decay.select(2, t) * h + input.select(2, t);
    results.push_back(at::matmul(h.to(c.C.scalar_type()), c.C.select(2, t).unsqueeze(-1)).select(2, 0));
  }
  Tensor y = at::stack(results, -1);
  if (c.D) y = y + c.x * c.D->unsqueeze(-1);
  return c.z ? y * at::silu(*c.z) : y;
}

Case inDouble(const Case& c) {
  const auto high = [](const Tensor& t) { return t.to(at::kDouble); };
  return {high(c.x), high(c.dt), high(c.A),    high(c.B), high(c.C),
          wide(c.D), wide(c.z),  wide(c.bias), c.softplus};
}

Case onMeta(const Case& c) {
  const auto meta = [](const Tensor& t) { return test::onMeta(t); };
  const auto maybe = [](const Maybe& t) { return t ? Maybe(test::onMeta(*t)) : Maybe(); };
  return {meta(c.x),  meta(c.dt), meta(c.A),     meta(c.B), meta(c.C),
          maybe(c.D), maybe(c.z), maybe(c.bias), c.softplus};
}

void expectScan(const Case& c) {
  const Tensor ours = scan(c);
  expectAsAccurate(ours, writtenOut(c), writtenOut(inDouble(c)), kOtherAlgorithm);
  const Tensor meta = scan(onMeta(c));
  EXPECT_EQ(meta.sizes(), ours.sizes());
  EXPECT_EQ(meta.strides(), ours.strides());
  EXPECT_EQ(meta.scalar_type(), ours.scalar_type());
}

struct Sizes {
  std::int64_t batches, channels, length, states;
};

// Steps and decays as models have them: softplus of something small, and A from -1 to -states.
Case caseOf(const OnDevice& test, const Sizes& s, at::ScalarType dtype, at::ScalarType parameters) {
  Case c;
  c.x = test.random({s.batches, s.channels, s.length}, dtype);
  c.dt = test.random({s.batches, s.channels, s.length}, dtype, -2);
  c.A = -test.random({s.channels, s.states}, parameters).abs() * 4;
  c.B = test.random({s.batches, s.states, s.length}, dtype);
  c.C = test.random({s.batches, s.states, s.length}, dtype);
  return c;
}

TEST_P(SelectiveScan, is_as_accurate_as_written_out_in_generated_cases) {
  Draw draw(2);
  for (int i = 0; i < kGeneratedCases; ++i) {
    const Sizes s{draw.of<std::int64_t>({1, 2}), draw.of<std::int64_t>({1, 3, 8, 13, 40}),
                  draw.of<std::int64_t>({1, 3, 8, 9, 31, 40, 130}),
                  draw.of<std::int64_t>({1, 3, 4, 8, 16, 16, 17, 64, 70})};
    const auto dtype = draw.dtype(), parameters = draw.coin() ? at::kFloat : dtype;
    Case c = caseOf(*this, s, dtype, parameters);
    c.softplus = draw.coin();
    if (!c.softplus) c.dt = c.dt.abs() * 0.3;
    for (Tensor* t : {&c.x, &c.dt, &c.B, &c.C}) *t = draw.sequence(*t);
    if (draw.coin()) c.D = random({s.channels}, parameters);
    if (draw.coin()) c.z = draw.sequence(random({s.batches, s.channels, s.length}, dtype));
    if (c.softplus && draw.coin()) c.bias = random({s.channels}, parameters);
    SCOPED_TRACE(testing::Message() << i << ": " << toString(dtype) << c.x.sizes() << " states " << s.states);
    expectScan(c);
  }
}

// Few channels and many times: warps share the times. Many channels: lanes hold more states.
TEST_P(SelectiveScan, is_right_for_every_schedule) {
  const Sizes all[] = {{1, 4, 700, 16}, {1, 33, 1030, 5}, {2, 600, 24, 16}, {3, 40, 129, 64}};
  for (const auto dtype : {at::kFloat, at::kBFloat16}) {
    for (const Sizes& s : all) {
      Case c = caseOf(*this, s, dtype, at::kFloat);
      c.z = random({s.batches, s.channels, s.length}, dtype);
      c.D = random({s.channels}, at::kFloat);
      c.bias = random({s.channels}, at::kFloat);
      expectScan(c);
    }
  }
}

TEST_P(SelectiveScan, begins_anew_in_every_batch_and_takes_nothing) {
  Case c = caseOf(*this, {2, 8, 20, 16}, at::kFloat, at::kFloat);
  Case second = c;
  for (Tensor* t : {&second.x, &second.dt, &second.B, &second.C}) *t = t->slice(0, 1);
  EXPECT_TRUE(at::allclose(scan(c).slice(0, 1), scan(second), 1e-5, 1e-6));
  EXPECT_EQ(scan(caseOf(*this, {0, 8, 20, 16}, at::kHalf, at::kFloat)).numel(), 0);
  EXPECT_EQ(scan(caseOf(*this, {2, 8, 0, 16}, at::kHalf, at::kFloat)).numel(), 0);
}

TEST_P(SelectiveScan, of_sizes_that_do_not_fit_is_an_error_that_names_the_tensor) {
  Case c = caseOf(*this, {2, 8, 20, 16}, at::kFloat, at::kFloat);
  c.B = c.B.transpose(1, 2);
  EXPECT_NE(outcomeOf([&] { scan(c); }).find("kadvise::selective_scan: B is of [2, 20, 16]"),
            std::string::npos);
}

TEST_P(SelectiveScan, of_doubles_is_done_by_torch) {
  const Case c = caseOf(*this, {2, 8, 20, 16}, at::kDouble, at::kDouble);
  EXPECT_TRUE(at::allclose(scan(c), writtenOut(c)));
}

TEST_P(SelectiveScan, has_the_gradient_of_the_recurrence) {
  Case c = caseOf(*this, {2, 8, 20, 4}, at::kFloat, at::kFloat);
  const std::vector<Tensor> leaves = {c.x.requires_grad_(), c.dt.requires_grad_(), c.A.requires_grad_(),
                                      c.B.requires_grad_(), c.C.requires_grad_()};
  const auto ours = torch::autograd::grad({scan(c).square().sum()}, leaves);
  const auto theirs = torch::autograd::grad({writtenOut(c).square().sum()}, leaves);
  for (std::size_t i = 0; i < ours.size(); ++i)
    EXPECT_TRUE(at::allclose(ours[i], theirs[i], 1e-3, 1e-4)) << i;
}

TEST(SelectiveScanSchedule, covers_all_states_and_times) {
  for (const std::int64_t channels : {1, 40, 1536, 5120}) {
    for (const std::int64_t length : {1, 100, 2048, 65536}) {
      for (const std::int32_t states : {1, 4, 16, 17, 64}) {
        const auto s = chooseScanSchedule(2, channels, length, states, 132);
        EXPECT_GE(s.lanes * s.perLane, states);
        EXPECT_LE(s.lanes, 32);
        EXPECT_LE(s.lanes * s.perLane * kScanGroup, kScanTile) << "a group of times does not fit a tile";
        EXPECT_GE(s.span * s.splits, length);
        EXPECT_EQ(s.span % kScanGroup, 0);
        EXPECT_TRUE(s.splits == 1 || (s.perLane == 4 && s.warps == s.splits))
            << "only those blocks are as large";
      }
    }
  }
}

TEST(SelectiveScanSchedule, shares_times_only_where_channels_are_few) {
  EXPECT_EQ(chooseScanSchedule(16, 5120, 2048, 16, 132).splits, 1);
  EXPECT_EQ(chooseScanSchedule(16, 5120, 2048, 16, 132).perLane, 16);
  EXPECT_GT(chooseScanSchedule(1, 1536, 2048, 16, 132).splits, 1);
  EXPECT_EQ(chooseScanSchedule(1, 1536, 32, 16, 132).splits, 1);
}

TEST_P(SelectiveScanOnGpu, more_than_2_31_elements) {
  try {
    const Sizes s{(std::int64_t{1} << 14) + 1, 256, 520, 1};
    Case c;
    c.x = at::randn({s.batches, s.channels, s.length}, of(at::kBFloat16));
    c.dt = c.x;
    c.A = at::full({s.channels, 1}, -1.0, of(at::kFloat));
    c.B = at::randn({s.batches, 1, s.length}, of(at::kBFloat16));
    c.C = c.B;
    const Tensor ours = scan(c);
    for (const std::int64_t batch : {std::int64_t{0}, s.batches - 1}) {
      Case part = c;
      for (Tensor* t : {&part.x, &part.dt, &part.B, &part.C}) *t = t->slice(0, batch, batch + 1);
      const Tensor exact = writtenOut(inDouble(part));
      EXPECT_LE((ours.slice(0, batch, batch + 1) - exact).abs().max().item<double>(),
                0.01 * exact.abs().max().item<double>());
    }
  } catch (const c10::OutOfMemoryError&) {
    GTEST_SKIP() << "SKIPPED: this GPU has not the memory for 2^31 elements, nothing was tested";
  }
}

}  // namespace
}  // namespace kadvise::test

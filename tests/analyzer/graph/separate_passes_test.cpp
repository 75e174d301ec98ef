// Regions that one generated kernel computes: what they are, and that they compute what the module does.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

struct Region {
  const char* name;
  const char* body;  // of forward(self, x, y); buffers: w, b, of the last dimension
  std::vector<std::vector<std::int64_t>> shapes;  // of x and y
  int found = 1;
  std::vector<std::vector<std::int64_t>> other = {};  // shapes of another call
};

const Region kRegions[] = {
    {"a_norm_takes_its_neighbours",
     "s = x + y\n  return torch.gelu(torch.layer_norm(s, [6], self.w, self.b, 1e-5)) * 2, s",
     {{2, 5, 6}, {2, 5, 6}},
     1,
     {{3, 1, 6}, {3, 4, 6}}},
    {"a_softmax_takes_scale_and_mask",
     "m = (1.0 - y[:, None, None, :]) * -10000.0\n  return torch.softmax(x / 8 + m, -1)",
     {{2, 3, 4, 6}, {2, 6}}},
    {"norm_of_its_own_spelling",
     "v = x.pow(2).mean(-1, keepdim=True)\n  return self.w * (x * torch.rsqrt(v + 1e-6))",
     {{2, 5, 6}, {1}},
     1,
     {{4, 6}, {1}}},
    {"gated", "g, u = x.chunk(2, -1)\n  return torch.silu(g) * u", {{3, 8}, {1}}, 1, {{5, 12}, {1}}},
    {"deviation",
     "return (x - x.mean(-1, keepdim=True)) / (x.std(-1, keepdim=True) + 1e-6)",
     {{4, 6}, {1}},
     1,
     {{2, 9}, {1}}},
    {"variance_of_columns", "return x.var(0) * 2 + 1", {{4, 6}, {1}}, 1, {{7, 3}, {1}}},
    {"mean_that_loses_dimensions",
     "return torch.relu(x).mean([2, 3])",
     {{2, 3, 4, 5}, {1}},
     1,
     {{1, 2, 7, 7}, {1}}},
    {"dropped_and_back",
     "m = x.mean(-1)\n  return (x - m.unsqueeze(-1)) * 2",
     {{2, 3, 4}, {1}},
     1,
     {{5, 1, 2}, {1}}},
    {"statistics_alone",
     "return torch.sqrt(torch.mean(x * x, -1)), torch.amax(torch.abs(x), -1)",
     {{4, 6}, {1}},
     2},
    {"a_convolution_leaves_its_bias",
     "return torch.silu(torch.conv2d(x, y, self.b, 2, 1))",
     {{2, 3, 7, 6}, {6, 3, 3, 3}},
     1,
     {{1, 3, 9, 4}, {6, 3, 1, 1}}},
    {"of_a_signal_too",
     "return torch.leaky_relu(torch.conv1d(x, y, self.b, padding='same'), 0.1) + x",
     {{2, 6, 6}, {6, 6, 3}},
     1,
     {{3, 6, 9}, {6, 6, 5}}},
    {"two_products_and_their_sum",
     "return torch.relu(torch.conv2d(x, y, self.b, padding=1) + torch.conv2d(x * 2, y, self.w, padding=1))",
     {{2, 6, 7, 6}, {6, 6, 3, 3}}},
    {"a_convolution_of_what_the_region_makes",
     "a = torch.relu(torch.conv2d(x, y, self.b, padding=1))\n"
     "  return torch.conv2d(a, y, self.b, padding=1) + a",
     {{2, 6, 7, 6}, {6, 6, 3, 3}},
     2,
     {{1, 6, 2, 2}, {6, 6, 3, 3}}},
    {"squeeze_and_excitation",
     "s = torch.adaptive_avg_pool2d(x, [1, 1])\n  s = torch.silu(torch.conv2d(s, y, self.b))\n"
     "  return torch.sigmoid(torch.conv2d(s, y, self.b)) * x",
     {{2, 6, 7, 6}, {6, 6, 1, 1}},
     2},
    {"a_convolution_of_each_channel_keeps_it",
     "return torch.relu(torch.conv2d(x, y, self.b, groups=6))",
     {{2, 6, 7, 6}, {6, 1, 3, 3}},
     0},
    {"a_copy_of_heads",
     "return x.transpose(1, 2).contiguous()",
     {{4, 64, 8, 32}, {1}},
     1,
     {{2, 3, 4, 5}, {1}}},
    {"a_reshape_that_copies",
     "return x.transpose(1, 2).reshape(x.size(0), -1, 256)",
     {{4, 64, 8, 32}, {1}},
     1,
     {{2, 8, 3, 32}, {1}}},
    {"a_reshape_that_copies_in_one_call_only",
     "return torch.relu(x * 2).transpose(1, 2).reshape(-1, x.size(-1))",
     {{2, 5, 6, 4}, {1}},
     1,
     {{2, 1, 6, 4}, {1}}},
    {"made_in_two_orders",
     "s = torch.relu(x * 2)\n  return s.transpose(1, 2).flatten(2), torch.exp(s)",
     {{2, 5, 6, 4}, {1}}},
    {"reshaped_in_the_middle",
     "s = torch.relu(x * 2).transpose(1, 2).flatten(2)\n  return torch.exp(s) + 1",
     {{2, 5, 6, 4}, {1}},
     2},
    {"in_the_order_of_what_is_contiguous",
     "s = x.transpose(1, 2).contiguous()\n  return torch.exp(s) + 1, s",
     {{2, 5, 6, 4}, {1}}},
    {"a_cast_to_its_own_dtype_in_front",
     "s = (x @ y).to(x.dtype)\n  return torch.exp(s) + x, s",
     {{6, 6}, {6, 6}}},
    {"transposed",
     "return torch.relu(x.transpose(1, 2) + y) * 2",
     {{2, 5, 6}, {2, 6, 5}},
     1,
     {{1, 3, 2}, {1, 2, 3}}},
    {"transposed_inside",
     "s = torch.relu(x * 2)\n  return torch.sigmoid(s.transpose(1, 2) + y) * 2",
     {{2, 5, 6}, {2, 6, 5}},
     1,
     {{1, 3, 2}, {1, 2, 3}}},
    {"two_orders_out",
     "s = torch.relu(x * 2)\n  return s, torch.sigmoid(s.transpose(1, 2) + y)",
     {{2, 5, 6}, {2, 6, 5}}},
    {"channels",
     "m = torch.mean(x, 1, True)\n  v = torch.mean(torch.square(x - m), 1, True)\n  return (x - m) * "
     "torch.rsqrt(v + 1e-6)",
     {{2, 6, 3, 3}, {1}}},
    {"batch_norm_and_activation",
     "return torch.relu(torch.batch_norm(x, self.w, self.b, self.b, self.w * self.w + 1, False, 0.1, 1e-5, "
     "False)) + x",
     {{2, 6, 3}, {1}}},
    {"log_sum", "return torch.logsumexp(x * 2, -1, True) + torch.log_softmax(x * 2, -1)", {{4, 6}, {1}}},
    {"length",
     "return x / torch.clamp(torch.norm(x, 2, [-1], True), min=1e-12)",
     {{4, 6}, {1}},
     1,
     {{2, 3}, {1}}},
    {"length_by_linalg",
     "return x / torch.clamp_min(torch.linalg_vector_norm(x, 2, [-1], True), 1e-12)",
     {{4, 6}, {1}}},
    {"chosen", "return torch.where(x > y, x * 2, y - 1) + torch.clamp(x, -1, 1)", {{4, 6}, {4, 6}}},
    {"activations",
     "return torch.leaky_relu(x, 0.2) + torch.elu(x) + torch.hardswish(x) + torch.softplus(y) + "
     "torch.mish(y)",
     {{4, 6}, {4, 6}}},
    {"activations_made_of_others",
     "return torch.selu(x) + torch.celu(y, 1.3) + torch.elu(x, 1.5, 2.0, 0.5) + torch.logaddexp(x, "
     "y) + "
     "torch.softplus(y, 2.0, 1.0) + torch.hardshrink(x, 0.7) + torch.softshrink(y, 0.3)",
     {{4, 6}, {4, 6}}},
    {"a_slope_a_channel", "return torch.prelu(x * 2, y) + 1", {{2, 6, 3, 4}, {6}}, 1, {{3, 6, 2, 5}, {6}}},
    {"one_slope", "return torch.prelu(x * 2, y) + 1", {{2, 6}, {1}}},
    {"counted", "return (x > 0).sum(-1) + (y > 0).long().sum(-1)", {{4, 6}, {4, 6}}, 2},
    {"any_and_all", "return torch.any(x > 1, -1) & torch.all(y < 2, -1)", {{4, 6}, {4, 6}}, 2},
    {"powers", "return x.abs().pow(1.5) + x ** 3 + (y.abs() + 1) ** -0.5 + x ** 2", {{4, 6}, {4, 6}}},
    {"alpha_and_turned",
     "return torch.add(x, y, alpha=0.5) + torch.rsub(x, 2) + torch.addcmul(x, x, y, value=0.5)",
     {{4, 6}, {4, 6}}},
    {"a_number_in_front", "return 1 - torch.relu(2.0 - x) / y.abs().add(1)", {{4, 6}, {4, 6}}},
    {"largest_and_its_place", "v, i = torch.max(x * 2, -1)\n  return v + 1, i", {{4, 6}, {1}}},
    {"one_softmax", "return torch.softmax(x, -1)", {{4, 6}, {1}}},
    {"one_pointwise", "return torch.relu(x)", {{4, 6}, {1}}, 0},
    {"a_sum_across_memory", "return x.sum(1)", {{8, 256, 300}, {1}}},
    {"a_mean_around_channels", "return x.mean([0, 2], True)", {{64, 16, 600}, {1}}},
    {"sums_of_rows_are_left", "return x.sum(-1), x.sum([1, 2])", {{8, 256, 300}, {1}}, 0},
    {"a_small_sum_too", "return x.sum(0)", {{4, 6}, {1}}, 0},
    {"reductions_that_differ", "return x.sum(-1, keepdim=True) + x.sum(0, keepdim=True)", {{4, 6}, {1}}, 0},
    {"two_heads_of_one_trunk", "s = torch.tanh(x + y)\n  return s * 2, s + 1, s.mean(-1)", {{4, 6}, {4, 6}}},
    {"scalars", "return (x + y).sum() * 2", {{4, 6}, {4, 6}}, 1, {{2, 3}, {2, 3}}},
};

class SeparatePasses : public testing::TestWithParam<Region> {};

std::vector<at::Tensor> tensorsOf(const std::vector<std::vector<std::int64_t>>& shapes,
                                  at::ScalarType dtype) {
  std::vector<at::Tensor> out;
  for (auto& s : shapes) out.push_back(torch::randn(s).to(dtype));
  return out;
}

torch::jit::Module plainModule(const Region& r, at::ScalarType dtype) {
  torch::manual_seed(3);
  return test::moduleOf(std::string("def forward(self, x, y):\n  ") + r.body,
                        {{"w", torch::randn({6}).to(dtype)}, {"b", torch::randn({6}).to(dtype)}});
}

// No further from the truth in float64 than what the module makes, beside a rounding.
void expectAsExact(const at::Tensor& have, const at::Tensor& plain, const at::Tensor& truth) {
  ASSERT_EQ(have.sizes(), plain.sizes());
  ASSERT_EQ(have.scalar_type(), plain.scalar_type());
  if (!at::isFloatingType(have.scalar_type())) {
    EXPECT_TRUE(torch::equal(have, plain));
    return;
  }
  auto error = [&](const at::Tensor& t) { return (t.to(at::kDouble) - truth).abs().max().item<double>(); };
  double unit = have.scalar_type() == at::kFloat ? 1e-6 : 8e-3;
  EXPECT_LE(error(have), 1.05 * error(plain) + unit * truth.abs().max().item<double>());
}

void expectEqual(const Region& r, torch::jit::Module& changed, const std::vector<at::Tensor>& inputs,
                 at::ScalarType dtype) {
  auto plain = plainModule(r, dtype), twin = plainModule(r, dtype);
  twin.to(at::kDouble);
  std::vector<at::Tensor> wide;
  for (auto& t : inputs) wide.push_back(t.to(at::kDouble));
  auto have = test::resultsOf(changed, inputs), want = test::resultsOf(plain, inputs),
       truth = test::resultsOf(twin, wide);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < have.size(); ++i) expectAsExact(have[i], want[i], truth[i]);
}

void check(const Region& r, at::ScalarType dtype) {
  test::loadKernels();
  auto changed = plainModule(r, dtype);
  auto inputs = tensorsOf(r.shapes, dtype);
  auto result = test::rewritePasses(changed, inputs);
  EXPECT_EQ(result.found, r.found) << result.text << *test::graphOf(changed);
  EXPECT_EQ(result.rewritten, r.found) << result.reasons << result.text << *test::graphOf(changed);
  expectEqual(r, changed, inputs, dtype);
  if (!r.other.empty()) expectEqual(r, changed, tensorsOf(r.other, dtype), dtype);
}

TEST_P(SeparatePasses, ComputesTheSameInFloat32) { check(GetParam(), at::kFloat); }
TEST_P(SeparatePasses, ComputesNoWorseInBfloat16) { check(GetParam(), at::kBFloat16); }

INSTANTIATE_TEST_SUITE_P(Graphs, SeparatePasses, testing::ValuesIn(kRegions),
                         [](auto& p) { return std::string(p.param.name); });

// Whatever other inputs the program has, and where the copy had nothing to do in the run.
TEST(SeparatePassesInOrder, WhatTheModuleMakesContiguousIsContiguous) {
  test::loadKernels();
  for (auto* body :
       {"a = torch.relu(y) + 1\n  c = torch.relu(x.transpose(1, 2)).contiguous()\n  return a, c, c * a",
        "return torch.relu((x * 2).permute(1, 0, 2).contiguous()) + 1, y * 2"}) {
    std::string forward = std::string("def forward(self, x, y):\n  ") + body;
    auto plain = test::moduleOf(forward), changed = test::moduleOf(forward);
    std::vector<at::Tensor> seen = {torch::randn({1, 5, 6}), torch::randn({1, 6, 5})};
    EXPECT_GE(test::rewritePasses(changed, seen).rewritten, 1) << body;
    for (auto& inputs : {seen, std::vector<at::Tensor>{torch::randn({3, 5, 6}), torch::randn({3, 6, 5})}}) {
      auto want = test::resultsOf(plain, inputs), have = test::resultsOf(changed, inputs);
      for (std::size_t i = 0; i < want.size(); ++i) {
        EXPECT_TRUE(torch::allclose(want[i], have[i], 1e-5, 1e-6)) << body;
        EXPECT_EQ(want[i].is_contiguous(), have[i].is_contiguous()) << i << body;
      }
    }
  }
}

TEST(SeparatePassesFarFromZero, ANormIsAsExactAsItIsNearZero) {
  test::loadKernels();
  auto m = test::moduleOf("def forward(self, x, y):\n  return torch.relu(torch.layer_norm(x + y, [64])) * 2");
  torch::manual_seed(4);
  std::vector<at::Tensor> inputs = {torch::randn({8, 64}) + 1e4, torch::zeros({8, 64})};
  ASSERT_EQ(test::rewritePasses(m, inputs).rewritten, 1);
  auto truth = at::relu(at::layer_norm(inputs[0].to(at::kDouble), {64})) * 2;
  EXPECT_LT((test::resultsOf(m, inputs)[0].to(at::kDouble) - truth).abs().max().item<double>(), 1e-5);
}

}  // namespace
}  // namespace kadvise::graph

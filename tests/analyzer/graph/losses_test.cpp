// Losses and similarities in generated kernels: each with its reductions, and of operands that are broadcast.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

struct Loss {
  const char* name;
  const char* body;  // of forward(self, x, y, z): numbers around 0
  int found = 1;
  std::vector<std::vector<std::int64_t>> shapes = {{4, 6}, {4, 6}, {4, 6}};
  std::vector<std::vector<std::int64_t>> other = {};  // shapes of another call
};

const Loss kLosses[] = {
    {"squared", "return torch.mse_loss(x, y, 1)"},
    {"squared_of_each", "return torch.mse_loss(x, y, 0) * z"},
    {"squared_broadcast", "return torch.mse_loss(x, y, 2)", 1, {{3, 4, 6}, {6}, {1}}},
    {"broadcast_before_and_unpacked",
     "a, b = torch.broadcast_tensors([x, y])\n  return torch.mse_loss(a, b, 1)",
     1,
     {{3, 4, 6}, {6}, {1}},
     {{2, 6}, {5, 1, 6}, {1}}},
    {"broadcast_before",
     "p = torch.broadcast_tensors([y, x])\n  return torch.smooth_l1_loss(p[1], p[0], 2, 0.5)",
     1,
     {{4, 6}, {6}, {1}}},
    {"of_one_tensor_twice", "p = torch.broadcast_tensors([y, x])\n  return torch.l1_loss(p[1], p[1]) + z"},
    {"absolute", "return torch.l1_loss(x, y)"},
    {"smooth", "return torch.smooth_l1_loss(x, y, 1, 0.7)"},
    {"smooth_with_next_to_no_square", "return torch.smooth_l1_loss(x, torch.relu(x), 1, 1e-39)"},
    {"smooth_without_a_square", "return torch.smooth_l1_loss(x, y, 2, 0.0)"},
    {"huber", "return torch.huber_loss(x, y, 1, 0.7)"},
    {"huber_of_each_twice", "return torch.huber_loss(x, y, 0, 1.5) + torch.huber_loss(x, z, 0, 1.0)"},
    {"into_a_tensor_of_the_caller", "return torch.mse_loss(x, y, 1, out=torch.empty([0])) + torch.exp(x * 2)",
     1},
    {"divergence", "return torch.kl_div(torch.log(x.abs() + 0.1), torch.relu(y), 1)"},
    {"divergence_of_a_batch", "return torch.kl_div(torch.log(x.abs() + 0.1), torch.relu(y), 2) / x.size(0)"},
    {"divergence_of_logarithms", "return torch.kl_div(x, y, 2, log_target=True)"},
    {"logits", "return torch.binary_cross_entropy_with_logits(x, torch.sigmoid(y), None, None, 1)"},
    {"weighted_logits", "return torch.binary_cross_entropy_with_logits(x, y, z[0], z[1], 2)"},
    {"soft_margin", "return torch.soft_margin_loss(x, torch.sign(y), 1)"},
    {"ranking", "return torch.margin_ranking_loss(x, y, torch.sign(z), 0.3, 1)"},
    {"hinge", "return torch.hinge_embedding_loss(x, torch.sign(y), 0.5, 1)"},
    {"hinge_of_other_targets", "return torch.hinge_embedding_loss(x, torch.relu(torch.sign(y)), 0.5, 2)"},
    {"poisson", "return torch.poisson_nll_loss(x, y, True, False, 1e-8, 1)"},
    {"poisson_of_numbers", "return torch.poisson_nll_loss(x.abs(), y, False, False, 1e-3, 2)"},
    {"hinge_of_bytes_is_left_out", "return torch.hinge_embedding_loss(x, y.abs().to(0), 0.5, 0)"},
    {"poisson_in_full", "return torch.poisson_nll_loss(x, y, True, True, 1e-8, 0)", 0},
    {"distance", "return torch.pairwise_distance(x, y)", 1, {{4, 6}, {4, 6}, {1}}, {{5, 1}, {5, 6}, {1}}},
    {"distance_of_another_order", "return torch.relu(torch.pairwise_distance(x, y, 1.0, 1e-3, True)) + z"},
    {"the_largest_distance", "return torch.pairwise_distance(x, y, p=float('inf'))"},
    {"distance_of_order_three", "return torch.pairwise_distance(x, y, 3.0)", 0},
    {"distance_to_one_row", "return torch.pairwise_distance(x, y)", 1, {{5, 6}, {1, 6}, {1}}},
    {"distance_of_one_row", "return torch.pairwise_distance(x, y)", 1, {{6}, {3, 5, 6}, {1}}},
    {"distances_of_all_pairs", "return torch.pairwise_distance(x, y)", 1, {{5, 1, 6}, {1, 4, 6}, {1}}},
    {"distance_to_numbers", "return torch.pairwise_distance(x, y)", 0, {{5, 6}, {5, 1}, {1}}},
    {"triplet",
     "return torch.triplet_margin_loss(x, y, z)",
     1,
     {{4, 6}, {4, 6}, {4, 6}},
     {{5, 6}, {5, 6}, {5, 1}}},
    {"triplet_of_each", "return torch.triplet_margin_loss(x, y, z, 0.5, 2.0, 1e-6, True, 0)"},
    {"cosine", "return torch.cosine_similarity(x, y, -1)", 1, {{4, 6}, {4, 6}, {1}}, {{5, 1}, {5, 6}, {1}}},
    {"cosine_with_numbers_later",
     "return torch.cosine_similarity(x, y, 1)",
     1,
     {{4, 6, 2}, {4, 6, 2}, {1}},
     {{5, 3, 4}, {5, 1, 4}, {1}}},
    {"cosine_of_columns", "return torch.cosine_similarity(x, y, 0, 1e-3)"},
    {"cosine_of_itself", "return torch.cosine_similarity(x * 2, x * 2, 1)"},
    {"cosine_of_one_row", "return torch.cosine_similarity(x, y, 1)", 1, {{1, 6}, {5, 6}, {1}}},
    {"cosines_of_all_pairs", "return torch.cosine_similarity(x, y, -1)", 1, {{5, 1, 6}, {4, 6}, {1}}},
    {"no_direction", "return torch.cosine_similarity(x * 0, y, -1)"},
};

class Losses : public testing::TestWithParam<Loss> {};

TEST_P(Losses, ComputeTheSame) {
  test::loadKernels();
  torch::manual_seed(4);
  auto& g = GetParam();
  auto text = std::string("def forward(self, x, y, z):\n  ") + g.body;
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  std::vector<at::Tensor> inputs;
  for (auto& shape : g.shapes) inputs.push_back(torch::randn(shape));
  auto passes = test::rewritePasses(changed, inputs);
  EXPECT_EQ(passes.found, g.found) << passes.text << passes.reasons;
  EXPECT_EQ(passes.rewritten, g.found) << passes.text << passes.reasons;
  auto expectEqual = [&] {
    auto have = test::resultsOf(changed, inputs)[0], want = test::resultsOf(plain, inputs)[0];
    ASSERT_EQ(have.sizes(), want.sizes());
    EXPECT_TRUE(at::allclose(have, want, 1e-5, 1e-6, /*equal_nan=*/true)) << passes.text << have << want;
  };
  expectEqual();
  for (auto& t : inputs) t = -t;  // positive where they were negative
  expectEqual();
  if (g.other.empty()) return;
  inputs.clear();
  for (auto& shape : g.other) inputs.push_back(torch::randn(shape));
  expectEqual();
}

// An epsilon that 16 bits cannot hold is none.
TEST(Losses, RoundAnEpsilonAsTheDtypeHasIt) {
  test::loadKernels();
  auto text =
      "def forward(self, x, y):\n"
      "  return torch.cosine_similarity(x, y, -1), torch.poisson_nll_loss(x, y, False, False, 1e-8, 1)";
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  std::vector<at::Tensor> inputs = {torch::ones({3, 4}, at::kHalf), torch::ones({3, 4}, at::kHalf)};
  auto passes = test::rewritePasses(changed, inputs);
  EXPECT_EQ(passes.rewritten, 2) << passes.text << passes.reasons;
  inputs[0].zero_();
  auto have = test::resultsOf(changed, inputs), want = test::resultsOf(plain, inputs);
  EXPECT_TRUE(want[0].isnan().all().item<bool>() && want[1].isinf().item<bool>());
  for (std::size_t i = 0; i < have.size(); ++i)
    EXPECT_TRUE(at::allclose(have[i], want[i], 0, 0, /*equal_nan=*/true))
        << passes.text << have[i] << want[i];
}

// A number takes no part in the choice of the dtype, but it does where it was given dimensions before.
TEST(Losses, KeepTheDtypeOfWhatIsBroadcastBefore) {
  test::loadKernels();
  auto text =
      "def forward(self, x, y):\n"
      "  a, b = torch.broadcast_tensors([x, y])\n  return torch.mse_loss(a, b, 1)";
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  std::vector<at::Tensor> inputs = {torch::ones({3, 4}, at::kHalf), torch::tensor(0.3F)};
  test::rewritePasses(changed, inputs);
  EXPECT_EQ(test::resultsOf(changed, inputs)[0].dtype(), test::resultsOf(plain, inputs)[0].dtype());
}

INSTANTIATE_TEST_SUITE_P(Graphs, Losses, testing::ValuesIn(kLosses),
                         [](auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace kadvise::graph

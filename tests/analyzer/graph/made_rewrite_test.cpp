// The rewrites that coded rules make, applied and run: they give what the original gives.
#include "analyzer/graph/made_rewrite.h"

#include <set>

#include "analyzer/graph/loop_over_sequence.h"
#include "analyzer/graph/mask_from_shapes.h"
#include "analyzer/graph/region.h"
#include "analyzer/graph/rewrite.h"
#include "analyzer/graph/sibling_linears.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

CodedResult found(CodedRule rule, const Shaped& s) {
  Target target{"cpu", 0};
  return rule(RulePage(), {*s.graph, &s.module, s.traced, target, *aliasesOf(s.graph)});
}

// The module with the first finding's rewrite in its place.
torch::jit::Module rewritten(const Shaped& s, const CodedFinding& f) {
  NearMiss near;
  auto match = matchAt(*f.rewrite->pattern, f.rewrite->roots, s.traced, near);
  if (!match) throw std::runtime_error(near.mismatch.at + " " + near.mismatch.reason);
  auto aliases = aliasesOf(s.graph);
  if (auto why = whyUnsafe(*f.rewrite->pattern, *match, *aliases, memoryOfResults(*f.rewrite->replacement)))
    throw std::runtime_error(why->at + " " + why->reason);
  auto done = rewrite(*s.graph, *f.rewrite->pattern, *f.rewrite->replacement, *match, *aliases);
  if (done.refused) throw std::runtime_error(done.refused->reason);
  return s.module;
}

struct Same {
  const char* name;
  CodedRule rule;
  const char* body;
  std::vector<std::vector<std::int64_t>> seen,
      other;  // shapes of x, y: those of the run, and of another call
};
class MadeRewrite : public testing::TestWithParam<Same> {};

std::vector<c10::IValue> inputsOf(const std::vector<std::vector<std::int64_t>>& shapes) {
  std::vector<c10::IValue> out;
  for (auto& shape : shapes) out.emplace_back(at::randn(shape));
  return out;
}

TEST_P(MadeRewrite, GivesTheOriginalsResultAtOtherSizesToo) {
  at::manual_seed(1);
  std::string forward = std::string("def forward(self, x, y):\n") + GetParam().body;
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward + "\n");
  std::vector<c10::IValue> shapes;
  for (auto& shape : GetParam().seen) shapes.emplace_back(meta(shape));
  Shaped s(forward, shapes);
  auto result = found(GetParam().rule, s);
  ASSERT_EQ(result.findings.size(), 1u)
      << result.whyNothing << (result.refused.empty() ? "" : result.refused[0].why.reason);
  ASSERT_TRUE(result.findings[0].rewrite);
  auto after = rewritten(s, result.findings[0]);
  for (auto& sizes : {GetParam().seen, GetParam().other}) {
    auto inputs = inputsOf(sizes);
    auto want = plain.forward(inputs).toTensor(), have = after.forward(inputs).toTensor();
    EXPECT_EQ(want.sizes(), have.sizes());
    EXPECT_EQ(want.scalar_type(), have.scalar_type());
    EXPECT_TRUE(at::allclose(want, have, 1e-5, 1e-6)) << (want - have).abs().max();
  }
}

// Its text is longer than a page's may be.
TEST(MadeRewrite, JoinsHundredsOfProducts) {
  constexpr int kCount = 500;
  std::string parts;
  std::vector<std::pair<std::string, at::Tensor>> weights;
  for (int i = 0; i < kCount; ++i) {
    std::string name = "weight" + std::to_string(i);
    parts += (i ? ", " : "") + ("torch.linear(x, self." + name + ")");
    weights.emplace_back(name, at::randn({3, 4}));
  }
  Shaped s("def forward(self, x):\n  return torch.cat([" + parts + "], 1)", {meta({2, 4})}, weights);
  auto result = found(findSiblingLinears, s);
  ASSERT_EQ(result.findings.size(), 1u) << result.whyNothing;
  at::Tensor x = at::randn({5, 4}), want = s.module.clone().forward({x}).toTensor();
  EXPECT_TRUE(at::allclose(want, rewritten(s, result.findings[0]).forward({x}).toTensor(), 1e-5, 1e-6));
}

TEST(MadeRewrite, OfTooFewStepsItRaisesAsTheOriginalDoes) {
  Shaped s(
      "def forward(self, x, y):\n  return torch.stack([torch.relu(x[:, 0]) * y[:, 0], torch.relu(x[:, 1]) * "
      "y[:, 1]], 1)",
      {meta({2, 2, 5}), meta({2, 2, 5})});
  auto result = found(findLoopsOverSequences, s);
  ASSERT_EQ(result.findings.size(), 1u);
  auto after = rewritten(s, result.findings[0]);
  EXPECT_NO_THROW(after.forward({at::randn({2, 3, 5}), at::randn({2, 2, 5})}));
  try {
    after.forward({at::randn({2, 1, 5}), at::randn({2, 2, 5})});
    FAIL() << "the sequence has one step";
  } catch (const std::exception& e) {
    EXPECT_NE(std::string(e.what()).find("at least 2 steps along dimension 1 of the input x"),
              std::string::npos)
        << e.what();
  }
}

const std::vector<std::vector<std::int64_t>> kQK = {{2, 3, 8, 4}, {2, 3, 8, 4}},
                                             kLonger = {{1, 2, 21, 4}, {1, 2, 21, 4}};
const std::vector<std::vector<std::int64_t>> kSequence = {{2, 3, 5}, {4, 5}},
                                             kMoreSteps = {{7, 6, 5}, {4, 5}};

INSTANTIATE_TEST_SUITE_P(
    Rules, MadeRewrite,
    testing::Values(
        Same{"triangle", findMasksFromShapes,
             "    n = x.size(2)\n    return torch.scaled_dot_product_attention(x, y, y, torch.ones([n, n], "
             "dtype=11).tril())",
             kQK, kLonger},
        Same{"float_mask_with_scale", findMasksFromShapes,
             "    m = torch.full([x.size(2), y.size(2)], float('-inf')).triu(1)\n    return "
             "torch.scaled_dot_product_attention(x, y, x, m, scale=0.3)",
             kQK, kLonger},
        Same{"nothing_hidden",
             findMasksFromShapes,
             "    m = torch.zeros([x.size(2), y.size(2)])\n    return torch.scaled_dot_product_attention(x, "
             "y, y, m)",
             kQK,
             {{2, 3, 5, 4}, {2, 3, 9, 4}}},
        Same{"linear_steps", findLoopsOverSequences,
             "    return torch.stack([torch.tanh(torch.linear(x[:, 0], y)), torch.tanh(torch.linear(x[:, 1], "
             "y)), torch.tanh(torch.linear(x[:, 2], y))], 1)",
             kSequence, kMoreSteps},
        Same{"steps_joined_in_front", findLoopsOverSequences,
             "    return torch.stack([x[:, 0] * y[0] + 1.0, x[:, 1] * y[0] + 1.0, x[:, 2] * y[0] + 1.0])",
             kSequence, kMoreSteps},
        Same{"two_sequences",
             findLoopsOverSequences,
             "    return torch.stack([x[0] * y[0], x[1] * y[1]], -1)",
             {{2, 5}, {2, 5}},
             {{3, 4}, {2, 4}}},
        Same{"slices", findLoopsOverSequences,
             "    return torch.cat([torch.relu(x[:, 0:1]) * 2.0, torch.relu(x[:, 1:]) * 2.0], 1)", kSequence,
             kMoreSteps},
        Same{"softmax_of_steps", findLoopsOverSequences,
             "    return torch.stack([torch.softmax(x[:, 0], -1), torch.softmax(x[:, 1], -1)], 2)", kSequence,
             kMoreSteps},
        Same{
            "steps_used_twice", findLoopsOverSequences,
            "    return torch.stack([x[:, 0] * torch.sigmoid(x[:, 0]), x[:, 1] * torch.sigmoid(x[:, 1])], 1)",
            kSequence, kMoreSteps}),
    [](const auto& info) { return info.param.name; });

TEST(MadeRewrite, ItsRegionMakesTheMaskItself) {
  Shaped s(
      "def forward(self, x, y):\n    n = x.size(2)\n    m = torch.ones([n, n], dtype=11).tril()\n"
      "    return torch.scaled_dot_product_attention(x, y, y, m), m",
      {meta({2, 3, 8, 4}), meta({2, 3, 8, 4})});
  auto result = found(findMasksFromShapes, s);
  ASSERT_EQ(result.findings.size(), 1u);
  auto& made = *result.findings[0].rewrite;
  NearMiss near;
  auto match = matchAt(*made.pattern, made.roots, s.traced, near);
  ASSERT_TRUE(match);
  auto pair = cutRegion(*made.pattern, *made.replacement, *match, made.makers, s.module);
  EXPECT_NE(pair.beforeText.find("aten::tril"), std::string::npos);
  EXPECT_EQ(pair.values.size(), 3u) << "x, y and the length; no mask";
}

// Layers differ in what their values are called, and one of them is measured.
TEST(MadeRewrite, RegionsThatDifferInNamesAloneAreAlike) {
  Shaped s(
      "def forward(self, x, y):\n    n = x.size(2)\n    m = torch.ones([n, n], dtype=11).tril()\n"
      "    first = torch.scaled_dot_product_attention(x, y, y, m)\n"
      "    second = torch.scaled_dot_product_attention(first, y, y, m)\n    return second",
      {meta({2, 3, 8, 4}), meta({2, 3, 8, 4})});
  auto result = found(findMasksFromShapes, s);
  ASSERT_EQ(result.findings.size(), 2u);
  std::set<std::string> signatures, texts;
  for (auto& f : result.findings) {
    auto& made = *f.rewrite;
    NearMiss near;
    auto match = matchAt(*made.pattern, made.roots, s.traced, near);
    ASSERT_TRUE(match);
    auto pair = cutRegion(*made.pattern, *made.replacement, *match, made.makers, s.module);
    signatures.insert(signatureOf(pair, s.traced));
    texts.insert(pair.afterText);
  }
  EXPECT_EQ(texts.size(), 2u) << "they have names";
  EXPECT_EQ(signatures.size(), 1u);
}

TEST(MaskFromShapes, RefusesWithTheReason) {
  struct {
    const char *mask, *reason;
  } cases[] = {
      {"y > 0", "depends on the input"},
      {"self.table > 0", "attribute table"},
      {"torch.ones([n, n], dtype=11).tril(1)", "neither causal nor empty"},
      {"torch.ones([n, n], dtype=11).tril() & torch.ones([n, n], dtype=11).triu(-20)", "for a sequence of"},
      {"torch.ones([n, n], dtype=11).tril() & torch.ones([n, n], dtype=11).triu(-4096)",
       "holds the number 4096"},
      {"causal & (back * 0.01 < 1.0)", "aten::mul"},
      {"causal & ((at[:, None] >> 6) == (at[None, :] >> 6))", "aten::__rshift__"},
      {"causal & (back.float().sqrt() < 10.0)", "aten::sqrt"},
      {"causal & (torch.floor_divide(back, 64) < 1)", "aten::floor_divide"},
      {"causal & (back % 600 == back)", "aten::remainder"},
      {"causal & (torch.sub(at[:, None], at[None, :], alpha=1) < n * n)", "aten::mul"},
      {"causal & (torch.add(back, n, alpha=-3) < 5)", "multiplies one operand"},
      {"causal & (back - 300 < 300)", "holds the number 600"},
      {"causal & (back - 100 < 100)", "for a sequence of"},
      {"at.to(5)[None, :] <= at.to(5)[:, None]", "does not tell large positions apart"}};
  for (auto& c : cases) {
    Shaped s(std::string("def forward(self, x, y):\n    n = x.size(2)\n    at = torch.arange(n)\n"
                         "    back = at[:, None] - at[None, :]\n    causal = back >= 0\n    return "
                         "torch.scaled_dot_product_attention(x, x, x, ") +
                 c.mask + ")",
             {meta({2, 3, 8, 4}), meta({8, 8})}, {{"table", at::ones({8, 8})}});
    auto result = found(findMasksFromShapes, s);
    EXPECT_TRUE(result.findings.empty()) << c.mask;
    ASSERT_EQ(result.refused.size(), 1u) << c.mask;
    EXPECT_NE(result.refused[0].why.reason.find(c.reason), std::string::npos) << result.refused[0].why.reason;
  }
}

TEST(LoopOverSequence, RefusesWithTheReason) {
  struct {
    const char *body, *reason;
  } cases[] = {{"torch.stack([torch.linear(x[:, 0], y), torch.linear(x[:, 1], y)], 1) * "
                "torch.stack([torch.sum(x[:, 0], 0, True), torch.sum(x[:, 1], 0, True)], 1)",
                "aten::sum"},
               {"torch.stack([x[:, 0] * y, x[:, 1] * y], 1)", "meet the dimension of the steps"},
               {"torch.cat([x[:, 0] * 2.0, x[:, 1] * 2.0], 1)", "along another dimension"}};
  for (auto& c : cases) {
    Shaped s(std::string("def forward(self, x, y):\n    return ") + c.body, {meta({4, 2, 5}), meta({4, 5})});
    auto result = found(findLoopsOverSequences, s);
    ASSERT_EQ(result.refused.size(), 1u) << c.body;
    EXPECT_NE(result.refused[0].why.reason.find(c.reason), std::string::npos) << result.refused[0].why.reason;
  }
}

}  // namespace
}  // namespace kadvise::graph

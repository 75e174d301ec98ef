#include "analyzer/graph/match.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

const std::pair<std::string, std::string> kNorm = {
    "match", "def p(x, r, w, eps: float):\n    return torch.layer_norm(x * 2 + r, [4], w, None, eps, True)"};

std::optional<Match> tryMatch(const test::TestRule& rule, const torch::jit::Module& m, NearMiss& near,
                              const TracedValues& traced = {}) {
  std::optional<Match> found;
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* n) {
    if (auto match = matchAt(rule.rule.groups[0].patterns[0], n, traced, near)) found = match;
  });
  return found;
}

bool matches(const std::string& pattern, const std::string& body, const TracedValues& traced = {}) {
  test::TestRule rule({std::pair<std::string, std::string>{"match", pattern}});
  NearMiss near;
  return tryMatch(rule, test::moduleOf("def forward(self, x, y, z):\n  " + body), near, traced).has_value();
}

TEST(Match, TriesBothOrdersOfCommutativeOperands) {
  for (const char* body :
       {"return torch.relu(x * y + z)", "return torch.relu(z + x * y)", "return torch.relu(z + y * x)"})
    EXPECT_TRUE(matches("def p(a, b, c):\n    return torch.relu(a * b + c)", body)) << body;
  EXPECT_FALSE(matches("def p(a, b, c):\n    return torch.relu(a * b - c)", "return torch.relu(z - x * y)"));
}

TEST(Match, AddWithAFactorIsNotCommutative) {
  EXPECT_FALSE(matches("def p(a, b, c):\n    return torch.add(a * b, c, alpha=2)",
                       "return torch.add(z, x * y, alpha=2)"));
  EXPECT_TRUE(matches("def p(a, b, c):\n    return torch.add(a * b, c, alpha=2)",
                      "return torch.add(x * y, z, alpha=2)"));
}

TEST(Match, NumbersCompareByValue) {
  EXPECT_TRUE(matches("def p(a):\n    return torch.relu(a * 2)", "return torch.relu(x * 2.0)"));
  EXPECT_FALSE(matches("def p(a):\n    return torch.relu(a * 2)", "return torch.relu(x * 2.5)"));
}

TEST(Match, TheSameParameterTwiceIsTheSameValue) {
  const char* square = "def p(a):\n    return torch.relu(a * torch.sigmoid(a))";
  EXPECT_TRUE(matches(square, "return torch.relu(x * torch.sigmoid(x))"));
  EXPECT_FALSE(matches(square, "return torch.relu(x * torch.sigmoid(y))"));
}

TEST(Match, TwoReadsOfAnAttributeAreOneValueUnlessItIsAssigned) {
  auto matchesOf = [](const std::string& body) {
    test::TestRule rule(
        {std::pair<std::string, std::string>{"match", "def p(a):\n    return a * torch.sigmoid(a)"}});
    NearMiss near;
    auto m = test::moduleOf("def forward(self, x):\n" + body, {{"last", torch::ones({4})}});
    return tryMatch(rule, m, near).has_value();
  };
  EXPECT_TRUE(matchesOf("  a = torch.sigmoid(self.last)\n  return a * self.last"));
  EXPECT_FALSE(matchesOf("  a = torch.sigmoid(self.last)\n  self.last = x\n  return a * self.last"));
}

TEST(Match, ADimensionIsComparedModuloTheRankOnlyWhereItIsKnown) {
  const char* pattern = "def p(a):\n    return torch.softmax(a, -1)";
  auto m = test::moduleOf("def forward(self, x):\n  return torch.softmax(x, 2)");
  test::TestRule rule({std::pair<std::string, std::string>{"match", pattern}});
  NearMiss near;
  EXPECT_FALSE(tryMatch(rule, m, near));
  TracedValue seen;
  seen.kind = "tensor";
  seen.dtype = at::kFloat;
  seen.shape = {2, 3, 4};
  TracedValues traced;
  traced.put("in.0", seen);
  EXPECT_TRUE(tryMatch(rule, m, near, traced));
  seen.shape = {2, 3, 4, 5};
  TracedValues four;
  four.put("in.0", seen);
  EXPECT_FALSE(tryMatch(rule, m, near, four));
}

TEST(Match, TheNearestMissNamesTheNodeThatBlocked) {
  test::TestRule rule({kNorm});
  NearMiss near;
  EXPECT_FALSE(tryMatch(
      rule,
      test::moduleOf(
          "def forward(self, x, r, w):\n  return torch.layer_norm(x * 3 + r, [4], w, None, 1e-5, True)"),
      near));
  EXPECT_EQ(near.mismatch.reason, "is 3, the rule wants 2");
  NearMiss other;
  EXPECT_FALSE(
      tryMatch(rule,
               test::moduleOf(
                   "def forward(self, x, r, w):\n  return torch.layer_norm(x - r, [4], w, None, 1e-5, True)"),
               other));
  EXPECT_EQ(other.mismatch.reason, "is made by aten::sub, the rule wants aten::add");
}

NearMatch nearly(const std::string& pattern, const std::string& body) {
  test::TestRule rule({std::pair<std::string, std::string>{"match", pattern}});
  auto m = test::moduleOf("def forward(self, x, y, z):\n  " + body);
  NearMatch best;
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { matchNearly(rule.rule.groups[0].patterns[0], n, {}, best); });
  best.anchor = nullptr;  // it dies with the module
  best.nodes.clear();
  return best;
}

TEST(Match, TheNearestMissPassesOverOneDifferenceAndComparesTheRest) {
  const char* pattern = "def p(a, b):\n    return torch.relu(torch.tanh(a * 2) + torch.sigmoid(b))";
  auto near = nearly(pattern, "return torch.relu(torch.sigmoid(y) + torch.tanh(x * 3))");
  EXPECT_EQ(near.matched, 5u);
  EXPECT_EQ(near.of, 5u);
  ASSERT_EQ(near.obstacles.size(), 1u);
  EXPECT_EQ(near.obstacles[0].mismatch.at, "the second operand of aten::mul");
  EXPECT_EQ(near.obstacles[0].mismatch.reason, "is 3, the rule wants 2");
}

TEST(Match, TheNearestMissNamesASecondDifference) {
  const char* pattern = "def p(a, b):\n    return torch.relu(torch.tanh(a * 2) + torch.sigmoid(b))";
  auto near = nearly(pattern, "return torch.relu(torch.exp(y) + torch.tanh(x * 3))");
  ASSERT_EQ(near.obstacles.size(), 2u);
  EXPECT_EQ(near.obstacles[0].mismatch.reason, "is made by aten::exp, the rule wants aten::sigmoid");
  EXPECT_EQ(near.obstacles[1].mismatch.reason, "is 3, the rule wants 2");
}

TEST(Match, TheNearestMissOfAnotherFormComparesItsOtherOperands) {
  auto near = nearly("def p(a, b: float):\n    return torch.relu(torch.tanh(a) * b)",
                     "return torch.relu(torch.tanh(x) * y)");
  EXPECT_EQ(near.matched, 2u);
  ASSERT_EQ(near.obstacles.size(), 1u);
  EXPECT_EQ(near.obstacles[0].mismatch.reason,
            "is made by aten::mul with a tensor (the input y) where the rule wants a number");
}

TEST(Match, DoesNotReachAcrossAnIf) {
  EXPECT_FALSE(matches("def p(a, b):\n    return torch.relu(a + b)",
                       "s = x + y\n  if bool(z.sum() > 0):\n    s = torch.relu(s)\n  return s"));
}

TEST(Match, ParametersHaveTypes) {
  EXPECT_TRUE(matches("def p(a, s: float):\n    return torch.relu(a * s)", "return torch.relu(x * 0.5)"));
  EXPECT_FALSE(matches("def p(a, s: float):\n    return torch.relu(a * s)", "return torch.relu(x * y)"));
}

TEST(Match, GivesUpOnAnExplosionOfOrders) {
  // 24 products of equal operators: every order is a dead end until the last one.
  std::string pattern = "a", body = "x";
  for (int i = 0; i < 24; ++i) pattern = "(" + pattern + " * b)", body = "(" + body + " * torch.relu(y))";
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.tanh(" + pattern + " * 3)"}});
  NearMiss near;
  auto started = std::chrono::steady_clock::now();
  EXPECT_FALSE(tryMatch(
      rule, test::moduleOf("def forward(self, x, y):\n  return torch.tanh(" + body + " * 4)"), near));
  EXPECT_LT(std::chrono::steady_clock::now() - started, std::chrono::seconds(5));
}

}  // namespace
}  // namespace kadvise::graph

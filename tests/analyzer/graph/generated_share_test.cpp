// The account of what is in generated kernels, and why the rest is not.
#include "analyzer/graph/row_share.h"

#include <algorithm>

#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

GeneratedShare shareIn(const std::string& body, at::ScalarType dtype = at::kFloat) {
  auto m = test::moduleOf("def forward(self, x, y):\n  " + body);
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, {torch::randn({4, 4}).to(dtype), torch::randn({4, 4}).to(dtype)});
  auto aliases = aliasesOf(graph, &m);
  return shareOf(*graph, findRowRegions(*graph, traced, *aliases), traced);
}

TEST(GeneratedShare, OfARegionIsTheWholeOfIt) {
  auto g = shareIn("return torch.softmax(torch.relu(x + y), -1)");
  EXPECT_EQ(g.share(), 1);
  EXPECT_EQ(g.regions, 1);
  EXPECT_EQ(g.operators, 3);
  EXPECT_TRUE(g.leftOut.empty());
}

TEST(GeneratedShare, AnActivationWhoseArithmeticTakesLongerThanItsMemoryNeedsNoNeighbour) {
  std::string gelu = "return torch.matmul(torch.gelu(torch.matmul(x, y)), y)";
  EXPECT_EQ(shareIn(gelu, at::kBFloat16).regions, 1);
  EXPECT_EQ(shareIn(gelu).regions, 0);
  EXPECT_EQ(shareIn("return torch.matmul(torch.relu(torch.matmul(x, y)), y)", at::kBFloat16).regions, 0);
}

TEST(GeneratedShare, CopiesComputeNothing) {
  auto g = shareIn("return torch.relu(x + y).t().contiguous()");
  EXPECT_EQ(g.regions, 1);
  EXPECT_EQ(g.operators, 2);
  EXPECT_EQ(g.share(), 1);
}

TEST(GeneratedShare, ListsThatAreJoinedAreNoOperatorsOfTensors) {
  auto counted = [](const GeneratedShare& g) {
    int out = g.operators;
    for (auto& l : g.leftOut) out += l.operators;
    return out;
  };
  auto joined = shareIn("o = [torch.relu(x)]\n  o += [torch.tanh(y)]\n  return torch.cat(o + [x], 1)");
  EXPECT_EQ(counted(joined), counted(shareIn("return torch.cat([torch.relu(x), torch.tanh(y), x], 1)")));
}

TEST(GeneratedShare, OneGateOfEachRowIsComputedAgainForItsElements) {
  auto gate = shareIn("return torch.sigmoid(torch.matmul(x, y[:, :1]) + 1) * x");
  EXPECT_EQ(gate.regions, 1);
  EXPECT_EQ(gate.share(), 1);
  EXPECT_LT(shareIn("return torch.gelu(torch.matmul(x, y[:, :1]) + 1) * x").share(), 1);
  EXPECT_LT(shareIn("return torch.sigmoid(torch.sigmoid(torch.matmul(x, y[:, :1]) + 1)) * x").share(), 1);
}

TEST(GeneratedShare, WhatIsLeftOutHasAReason) {
  const std::pair<const char*, const char*> kReasons[] = {
      {"return torch.relu(x)", "alone-saves-nothing"},
      {"return torch.matmul(torch.relu(torch.matmul(x, y)), y)", "between-two-products"},
      {"return torch.sum(torch.sum(x, [1], True), [0])", "other-reduced-dimensions"},
      {"return torch.sigmoid(x.double())", "unsupported-dtype"},
      {"s = torch.sigmoid(x)\n  s[0].fill_(1.0)\n  return s", "writes-memory"},
      {"return torch.cumsum(x, 0)", "unsupported-operator"},
      {"return torch.div(x, y, rounding_mode='floor')", "unsupported-form"},
      {"s = torch.sigmoid(x)\n  return s * torch.matmul(s, y)", "needed-in-between"}};
  for (auto& [body, reason] : kReasons) {
    auto g = shareIn(body);
    ASSERT_FALSE(g.leftOut.empty()) << body;
    EXPECT_EQ(g.leftOut[0].reason, reason) << body;
    EXPECT_LT(g.share(), 1) << body;
    for (auto& l : g.leftOut)
      EXPECT_TRUE(std::find(std::begin(kLeftOut), std::end(kLeftOut), l.reason) != std::end(kLeftOut))
          << l.reason;
  }
}

}  // namespace
}  // namespace kadvise::graph

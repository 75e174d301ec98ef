// What rewrites say of themselves; what they do to modules is in hazard_memory_test.cpp and hazard_flow_test.cpp.
#include "analyzer/graph/rewrite.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

TEST(Rewrite, AValueThatIsUsedElsewhereIsNamed) {
  test::TestRule rule({std::pair<std::string, std::string>{"match", "def p(a, b):\n    return torch.relu(a + b)"}});
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  return torch.relu(s) * torch.tanh(s)");
  auto graph = test::graphOf(m);
  Aliases aliases(graph, true);
  int matches = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    NearMiss near;
    if (auto match = matchAt(rule.rule.groups[0].patterns[0], n, {}, near)) {
      ++matches;
      auto why = whyUnsafe(rule.rule.groups[0].patterns[0], *match, aliases, ResultMemory::PerhapsShared);
      ASSERT_TRUE(why);
      EXPECT_NE(why->reason.find("is also used by aten::tanh"), std::string::npos) << why->reason;
    }
  });
  EXPECT_EQ(matches, 1);
}

const std::vector<Case> kCases = {{{"a", parseInputSpec("float[2]"), ""}, {"b", parseInputSpec("float[2]"), ""}}};

TEST(Rewrite, AParameterThatTheRegionMakesIsRefused) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.tanh(a) + b"}, {"replace", "def r(a, b):\n    return b + torch.tanh(a)"}}, kCases);
  auto& pattern = rule.rule.groups[0].patterns[0];
  auto m = test::moduleOf("def forward(self, x):\n  t = torch.tanh(x)\n  return t + t");
  auto graph = test::graphOf(m);
  NearMiss near;
  auto match = matchAt(pattern, graph->outputs()[0]->node(), {}, near);
  ASSERT_TRUE(match);
  auto why = whyUnsafe(pattern, *match, *aliasesOf(graph), ResultMemory::New);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "is an input of the region and made by it, too");
}

TEST(Rewrite, ReadersOfAMiddleResultComeAfterTheReplacement) {
  test::TestRule rule({{"match", "def p(a, b):\n    s = a + b\n    return torch.relu(torch.tanh(s)), s"},
                       {"replace", "def r(a, b):\n    s = b + a\n    return torch.clamp(torch.tanh(s), min=0.0), s"}},
                      kCases);
  auto& group = rule.rule.groups[0];
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  t = torch.tanh(s)\n  u = torch.exp(s)\n  return torch.relu(t), u");
  auto graph = test::graphOf(m);
  torch::Tensor x = torch::randn({2, 3}), y = torch::randn({2, 3});
  auto s = x + y;
  torch::jit::Node* anchor = nullptr;
  forEachNode(graph->block(), [&](torch::jit::Node* n) { anchor = n->kind() == torch::jit::aten::relu ? n : anchor; });
  NearMiss near;
  auto match = matchAt(group.patterns[0], anchor, {}, near);
  ASSERT_TRUE(match);
  auto aliases = aliasesOf(graph);
  EXPECT_FALSE(whyUnsafe(group.patterns[0], *match, *aliases, ResultMemory::New));
  EXPECT_FALSE(rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases).refused);
  auto have = m.forward({x, y}).toTuple()->elements().vec();
  EXPECT_TRUE(torch::equal(torch::relu(torch::tanh(s)), have[0].toTensor()));
  EXPECT_TRUE(torch::equal(torch::exp(s), have[1].toTensor()));
}

}  // namespace
}  // namespace kadvise::graph

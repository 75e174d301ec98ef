// Copies whose reader another rule replaces: that may take the values as they lie.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

TEST(CopiesForOthers, WaitUntilTheReaderIsDecided) {
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  heads = x.transpose(1, 2).contiguous()\n  return torch.matmul(y, "
      "heads.transpose(-2, -1))");
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, {torch::randn({2, 512, 8, 64}), torch::randn({2, 8, 512, 64})});
  auto aliases = aliasesOf(graph, &m);
  Target target{"cuda", 90};
  std::unordered_set<const torch::jit::Node*> product = {graph->return_node()->input(0)->node()};

  auto alone = findSeparatePasses(RulePage(), {*graph, &m, traced, target, *aliases});
  EXPECT_EQ(alone.findings.size(), 1u);
  EXPECT_FALSE(alone.looksAgain);

  auto beside = findSeparatePasses(RulePage(), {*graph, &m, traced, target, *aliases, product});
  EXPECT_EQ(beside.findings.size(), 0u);
  EXPECT_TRUE(beside.looksAgain);
}

}  // namespace
}  // namespace kadvise::graph

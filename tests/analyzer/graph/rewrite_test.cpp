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
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    NearMiss near;
    if (auto match = matchAt(rule.rule.groups[0].patterns[0], n, {}, near)) {
      auto why = whyUnsafe(rule.rule.groups[0].patterns[0], *match, aliases, ResultMemory::PerhapsShared);
      ASSERT_TRUE(why);
      EXPECT_NE(why->reason.find("is also used by aten::tanh"), std::string::npos) << why->reason;
    }
  });
}

}  // namespace
}  // namespace kadvise::graph

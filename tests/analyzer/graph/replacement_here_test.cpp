#include "analyzer/graph/replacement_here.h"

#include "analyzer/graph/match.h"
#include "analyzer/graph/rewrite.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// nn.Conv2d declares its bias as an optional, and to fold weights nothing but them may decide.
TEST(ReplacementHere, OfBranchesOnAnOptionalAttributeHasTheTakenArm) {
  const std::string parameters = "(x, w, b: Optional[Tensor]):\n";
  auto cases = std::vector<Case>{{{"x", parseInputSpec("float[2,3]"), ""},
                                  {"w", parseInputSpec("weight float[4,3]"), ""},
                                  {"b", parseInputSpec("weight float[4]"), ""}}};
  test::TestRule rule(
      {{"match", "def p" + parameters + "    return torch.relu(torch.linear(x, w, b))"},
       {"replace", "def r" + parameters +
                       "    y = torch.matmul(x, w.t())\n    if b is not None:\n        y = y + b * 1.0\n"
                       "    return torch.clamp(y, min=0.0)"}},
      cases);
  torch::jit::Module m("__torch__.Given");
  m.register_parameter("w", torch::randn({4, 3}), false);
  m.register_attribute("b", c10::OptionalType::create(c10::TensorType::get()), torch::randn({4}));
  m.define("def forward(self, x):\n  return torch.relu(torch.linear(x, self.w, self.b))\n");
  auto x = torch::randn({2, 3});
  auto want = m.forward({x}).toTensor();
  auto graph = test::graphOf(m);
  normalise(graph);
  auto& group = rule.rule.groups[0];
  std::optional<Match> match;
  std::size_t place = 0;
  for (; !match && place < group.patterns.size(); ++place) {
    NearMiss near;
    match = matchAt(group.patterns[place], graph->outputs()[0]->node(), {}, near);
  }
  ASSERT_TRUE(match) << graph->toString();
  rewrite(*graph, group.patterns[place - 1], group.replacements[0], *match, *aliasesOf(graph));
  EXPECT_EQ(graph->toString().find("prim::If"), std::string::npos) << graph->toString();
  EXPECT_TRUE(torch::allclose(want, m.forward({x}).toTensor()));
}

}  // namespace
}  // namespace kadvise::graph

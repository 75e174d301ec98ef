#include "analyzer/graph/untaken.h"

#include "tests/analyzer/graph/graphs.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

using torch::jit::Node;

// Kinds of the nodes that are held.
std::vector<std::string> heldIn(const torch::jit::Module& m, const at::Tensor& x) {
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, {x});
  const UntakenArms untaken(*graph, traced);
  std::vector<std::string> held;
  forEachNode(graph->block(), [&](Node* n) {
    if (untaken.hold(n)) held.push_back(n->kind().toUnqualString());
  });
  return held;
}

TEST(UntakenArms, AreThoseOfWhichTheRunSawNothing) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  if x.size(0) > 2:\n    y = torch.tanh(x)\n    if x.size(1) > 2:\n      y = "
      "torch.exp(y)\n  "
      "else:\n    y = torch.relu(x)\n  return y * self.w",
      {{"w", torch::randn({3})}});
  EXPECT_EQ(heldIn(m, torch::randn({3, 3})), std::vector<std::string>{"relu"});
  EXPECT_EQ(heldIn(m, torch::randn({3, 1})), (std::vector<std::string>{"exp", "relu"}));
}

TEST(UntakenArms, AreNoneWithoutARun) {
  auto m = test::moduleOf("def forward(self, x):\n  if x.size(0) > 2:\n    x = torch.tanh(x)\n  return x");
  auto graph = test::graphOf(m);
  const UntakenArms untaken(*graph, TracedValues());
  forEachNode(graph->block(), [&](Node* n) { EXPECT_FALSE(untaken.hold(n)); });
}

}  // namespace
}  // namespace kadvise::graph

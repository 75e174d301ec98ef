#include "analyzer/graph/filled_lists.h"

#include "analyzer/graph/artefact.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Node;

TEST(FilledLists, AreNotMadeAgainByTheirFirstNodeAlone) {
  auto m = test::moduleOf(R"(def forward(self, x, n: int):
  scales: List[float] = []
  for i in range(n):
    scales.append(2.0)
  return torch.reshape(x, [n, -1]) * len(scales))",
                          {});
  std::vector<Node*> lists, all;
  forEachNode(test::graphOf(m)->block(), [&](Node* n) {
    if (n->kind() == torch::jit::prim::ListConstruct) lists.push_back(n);
    all.push_back(n);
  });
  ASSERT_EQ(lists.size(), 2u);
  EXPECT_TRUE(isFilledList(lists[0]->output()));
  EXPECT_FALSE(isFilledList(lists[1]->output()));
  EXPECT_EQ(withoutFilledLists(lists), std::vector<Node*>{lists[1]});
  EXPECT_EQ(withoutFilledLists(all), all) << "with the loop that fills it";
}

int loopsIn(const std::string& body) {
  auto m = test::moduleOf("def forward(self, x, n: int):\n" + body, {});
  int loops = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](Node* n) { loops += n->kind() == torch::jit::prim::Loop ? 1 : 0; });
  return loops;
}

TEST(FilledLists, AreMadeAtOnceWhereTheNumberOfTurnsIsKnown) {
  auto m = test::moduleOf(R"(def forward(self, x, n: int):
  scales = [1.0]
  for i in range(2):
    scales.append(3.0)
  return x * scales[n])",
                          {});
  std::vector<std::size_t> lengths;
  forEachNode(test::graphOf(m)->block(), [&](Node* n) {
    EXPECT_NE(n->kind(), torch::jit::prim::Loop);
    if (n->kind() == torch::jit::prim::ListConstruct) lengths.push_back(n->inputs().size());
  });
  EXPECT_EQ(lengths, std::vector<std::size_t>{3});
  EXPECT_EQ(m.forward({at::ones(1), 2}).toTensor().item<float>(), 3);
}

TEST(FilledLists, StayWhereOthersWriteToThemOrSeeThemBefore) {
  const std::string filled = "  for i in range(2):\n    s.append(3)\n";
  EXPECT_EQ(loopsIn("  s = [n]\n" + filled + "  return x * s[n]"), 0);
  EXPECT_EQ(loopsIn("  s = [n]\n  k = len(s)\n" + filled + "  return x * s[n] * k"), 1);
  EXPECT_EQ(loopsIn("  s = [n]\n" + filled + "  s[0] = 5\n  return x * s[n]"), 1);
  EXPECT_EQ(loopsIn("  s = [n]\n  t = s\n  for i in range(2):\n    s.append(len(t))\n  return x * s[n]"), 1);
  EXPECT_EQ(loopsIn("  s = [n]\n  for i in range(2):\n    s.append(i)\n  return x * s[n]"), 1);
  EXPECT_EQ(loopsIn("  s = [n]\n  for i in range(n):\n    s.append(3)\n  return x * s[n]"), 1);
  EXPECT_EQ(loopsIn("  s = [n]\n  if n > 1:\n  " + std::string("  for i in range(2):\n      s.append(3)\n") +
                    "  return x * s[n]"),
            1);
}

}  // namespace
}  // namespace kadvise::graph

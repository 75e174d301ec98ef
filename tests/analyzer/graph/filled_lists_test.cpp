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

}  // namespace
}  // namespace kadvise::graph

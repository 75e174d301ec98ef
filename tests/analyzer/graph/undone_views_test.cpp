// Views that a replacement takes back.
#include "analyzer/graph/undone_views.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// How many transposes are left of two, of which the second is a replacement's unless it is the user's.
int left(const std::string& first, const std::string& second, bool isSecondMade = true,
         const std::string& after = "") {
  auto m = test::moduleOf("def forward(self, x):\n  t = x.transpose(" + first + ")\n  u = t.transpose(" +
                          second + ")\n" + after + "  return torch.relu(u)");
  TracedValues traced;
  TracedValue cube;
  cube.kind = "tensor", cube.dtype = at::kFloat, cube.shape = {2, 3, 4}, cube.strides = {12, 4, 1};
  traced.put("in.0", cube);
  int seen = 0, count = 0;
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* n) {
    if (n->kind() != torch::jit::aten::transpose) return;
    traced.put(valueId(n->output()), cube);
    if (++seen == 2 && isSecondMade) setMadeId(n, 100);
  });
  dropUndoneViews(test::graphOf(m), traced);
  forEachNode(test::graphOf(m)->block(),
              [&](torch::jit::Node* n) { count += n->kind() == torch::jit::aten::transpose; });
  return count;
}

TEST(UndoneViews, ATransposeThatIsTakenBackIsGone) {
  EXPECT_EQ(left("1, 2", "1, 2"), 0);
  EXPECT_EQ(left("1, 2", "-2, -1"), 0);
  EXPECT_EQ(left("1, 2", "-1, 1"), 0);
}

TEST(UndoneViews, AnotherOneStays) {
  EXPECT_EQ(left("1, 2", "0, 1"), 2);
  EXPECT_EQ(left("1, 2", "0, -1"), 2);
}

TEST(UndoneViews, TheUsersOwnCodeStays) { EXPECT_EQ(left("1, 2", "1, 2", /*isSecondMade=*/false), 2); }

TEST(UndoneViews, WhatIsWrittenToStays) { EXPECT_EQ(left("1, 2", "1, 2", true, "  u.add_(1)\n"), 2); }

}  // namespace
}  // namespace kadvise::graph

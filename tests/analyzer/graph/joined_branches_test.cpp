#include "analyzer/graph/joined_branches.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Node;

int branchesIn(const torch::jit::Module& m) {
  int branches = 0;
  forEachNode(test::graphOf(m)->block(),
              [&](Node* n) { branches += n->kind() == torch::jit::prim::If ? 1 : 0; });
  return branches;
}

// Answers how many branches are left.
int givesTheSame(const char* body) {
  auto forward = std::string("def forward(self, x, y, n: int):\n  ") + body;
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward + "\n");
  auto joined = test::moduleOf(forward);
  for (int rows : {1, 2, 3})
    for (int n : {0, 2}) {
      auto x = torch::randn({rows, 3}), y = torch::randn({1, 3});
      EXPECT_TRUE(torch::equal(plain.forward({x.clone(), y, n}).toTensor(),
                               joined.forward({x.clone(), y, n}).toTensor()))
          << body << ", " << rows << " rows, n = " << n;
    }
  return branchesIn(joined);
}

TEST(JoinedBranches, OfOneConditionAreOne) {
  for (auto* body : {"c = x.size(0) > n\n  if c:\n    x = x + 1\n  z = torch.relu(x) * y\n  if c:\n    z = z "
                     "- 1\n  return z",
                     "t = x\n  if x.size(0) > n:\n    t = x + 1\n  z = torch.relu(t) * y\n  w = z + t\n  if "
                     "x.size(0) > n:\n    z = z * w\n"
                     "  else:\n    z = z - y\n  return z + w + t",
                     "c = x.size(0) > n\n  if c:\n    x = x + 1\n  x = x * y\n  if c:\n    x = x - 2\n  x = "
                     "torch.relu(x)\n  if "
                     "c:\n    x = x * 3\n  return x"})
    EXPECT_EQ(givesTheSame(body), 1) << body;
}

TEST(JoinedBranches, TakeOtherBranchesAlong) {
  EXPECT_EQ(givesTheSame(
                "c = x.size(0) > n\n  if c:\n    x = x + 1\n  if x.size(0) > 2:\n    x = x * y\n  if c:\n    "
                "x = x - 2\n  return x"),
            3);
}

TEST(JoinedBranches, StayApartWhereTheConditionsAreOthersOrOnData) {
  for (auto* body :
       {"if x.size(0) > n:\n    x = x + 1\n  x = x * y\n  if x.size(0) > n + 1:\n    x = x - 2\n  return x",
        "c = bool(y.sum() > n)\n  if c:\n    x = x + 1\n  x = x * y\n  if c:\n    x = x - 2\n  return x"})
    EXPECT_EQ(givesTheSame(body), 2) << body;
}

// Each pair of conditions in turn doubles what stands inside.
TEST(JoinedBranches, OfManyConditionsInTurnStayFew) {
  std::string body = "z = x\n";
  for (int i = 0; i < 10; ++i)
    body += "  c" + std::to_string(i) + " = x.size(0) + " + std::to_string(i) + " > n\n";
  for (int round = 0; round < 10; ++round)
    for (int i = 0; i < 10; ++i)
      body += "  if c" + std::to_string(i) + ":\n    z = z + " + std::to_string(i) +
              "\n  else:\n    z = torch.tanh(z)\n";
  EXPECT_LT(givesTheSame((body + "  return z").c_str()), 1500);
}

TEST(JoinedBranches, KeepTheOrderOfWrites) {
  for (auto* body : {"c = x.size(0) > n\n  z = x[0]\n  if c:\n    x.add_(1)\n  w = z * 2\n  x.mul_(3)\n  if "
                     "c:\n    w = w + z\n  "
                     "return w + x"})
    givesTheSame(body);
}

}  // namespace
}  // namespace kadvise::graph

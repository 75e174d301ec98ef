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

TEST(GrownLists, GiveWhatTheyGaveWhoeverElseHoldsThem) {
  for (auto* body : {"f = [x]\n  if x.size(0) > n:\n    f.append(y)\n  return torch.cat(f)",
                     "f = [x]\n  f.append(y)\n  return f",
                     "f = [x]\n  g = (f, y)\n  f.append(y)\n  h, z = g\n  return torch.cat(h) + z",
                     "f = [x]\n  g = f\n  for i in range(n):\n    g.append(y)\n  return torch.cat(f)",
                     "f = [x, y]\n  f[n] = x\n  return torch.cat(f)",
                     "f = [x]\n  f.append(y)\n  z = f.pop(n)\n  return torch.cat(f) + z",
                     "f = [x, y]\n  h = f.copy()\n  f.append(y)\n  return torch.cat(h) + len(f)"}) {
    auto forward = std::string("def forward(self, x, y, n: int):\n  ") + body;
    torch::jit::Module plain("__torch__.Plain");
    plain.define(forward + "\n");
    auto x = torch::randn({2, 3}), y = torch::randn({1, 3});
    auto flat = [&](torch::jit::Module m) {
      auto out = m.forward({x, y, 1});
      return out.isTensor() ? out.toTensor() : torch::cat(out.toTensorVector());
    };
    EXPECT_TRUE(torch::equal(flat(plain), flat(test::moduleOf(forward)))) << body;
  }
}

}  // namespace
}  // namespace kadvise::graph

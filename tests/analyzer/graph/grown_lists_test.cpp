#include "analyzer/graph/grown_lists.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

using torch::jit::Node;

bool writesToLists(const torch::jit::Module& m) {
  bool writes = false;
  forEachNode(test::graphOf(m)->block(), [&](Node* n) {
    writes |= n->maybeSchema() && n->schema().is_mutable() && !isTensor(n->input(0));
  });
  return writes;
}

at::Tensor flat(torch::jit::Module m, const at::Tensor& x, const at::Tensor& y) {
  auto out = m.forward({x, y, 1});
  return out.isTensor() ? out.toTensor() : torch::cat(out.toTensorVector());
}

// Answers whether statements that change lists are left.
bool givesTheSame(const char* body) {
  auto forward = std::string("def forward(self, x, y, n: int):\n  ") + body;
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward + "\n");
  auto settled = test::moduleOf(forward);
  for (int rows : {1, 2, 3}) {
    auto x = torch::randn({rows, 3}), y = torch::randn({1, 3});
    EXPECT_TRUE(torch::equal(flat(plain, x, y), flat(settled, x, y))) << body << ", " << rows << " rows";
  }
  return writesToLists(settled);
}

TEST(GrownLists, BecomeTheListsThatTheyAreAtEachPlace) {
  for (auto* body :
       {"f = [x]\n  f.append(y)\n  f.append(torch.relu(torch.cat(f)))\n  return torch.cat(f) * 2",
        "f = [x, x]\n  f[1] = y\n  f.append(torch.relu(torch.cat(f)))\n  f.append(y)\n  z = f.pop()\n  "
        "return "
        "torch.cat(f) * z",
        "f = [x]\n  if x.size(0) > n:\n    x = torch.cat(f)\n  f.append(y)\n  return torch.cat(f) + len(f)",
        "f = [x, y]\n  if x.size(0) > n:\n    f[0] = y\n    x = torch.cat(f)\n  f.append(x)\n  return "
        "torch.cat(f)",
        "f = [x]\n  if x.size(0) > n:\n    f.append(y)\n  else:\n    f.append(x * 2)\n  return torch.cat(f)",
        "f = [x, x]\n  if x.size(0) > n:\n    if x.size(0) > 2:\n      f[1] = y\n    f[0] = torch.cat(f)\n  "
        "return torch.cat(f)",
        "s = [3, 3]\n  if n >= x.size(0):\n    s[0] = 0\n  return torch.roll(x, [-s[0]], [0]) * sum(s)"})
    EXPECT_FALSE(givesTheSame(body)) << body;
}

TEST(GrownLists, StayWhereItIsNotKnownWhatTheyHold) {
  for (auto* body : {"f = [x]\n  if x.size(0) > n:\n    f.append(y)\n  return torch.cat(f)",
                     "f = [x]\n  g = f\n  for i in range(n):\n    g.append(y)\n  return torch.cat(f)",
                     "f = [x, y]\n  f[n] = x\n  return torch.cat(f)",
                     "f = [x]\n  f.append(y)\n  z = f.pop(n)\n  return torch.cat(f) + z"})
    EXPECT_TRUE(givesTheSame(body)) << body;
}

TEST(GrownLists, AreTheSameForWhoeverElseHoldsThem) {
  for (auto* body : {"f = [x]\n  f.append(y)\n  return f",
                     "f = [x]\n  g = [[y]]\n  if x.size(0) > 2:\n    g.insert(0, f)\n  f.append(y)\n  return "
                     "torch.cat(g[0])",
                     "f = [x]\n  g = {1: [y]}\n  g[0] = f\n  f.append(y)\n  return torch.cat(g[0])",
                     "f = [x]\n  g = [[y]]\n  g.append(f)\n  f.append(y)\n  return torch.cat(g[1])",
                     "f = [x]\n  g = (f, y)\n  f.append(y)\n  h, z = g\n  return torch.cat(h) + z",
                     "f = [x, y]\n  h = f.copy()\n  f.append(y)\n  return torch.cat(h) + len(f)"})
    givesTheSame(body);
}

}  // namespace
}  // namespace kadvise::graph

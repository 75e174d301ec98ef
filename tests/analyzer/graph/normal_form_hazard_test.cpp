// Graphs that the normal form must not give another meaning.
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// Each was once another result: a step that reads its operands at another place than the user did.
class NormalFormHazard : public testing::TestWithParam<const char*> {};

TEST_P(NormalFormHazard, KeepsTheMeaning) {
  std::string forward = std::string("def forward(self, x, w):\n  ") + GetParam() + "\n";
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward);
  auto normal = test::moduleOf(forward);
  torch::manual_seed(3);
  auto x = torch::randn({4, 4}), w = torch::randn({4, 4});
  auto want = plain.forward({x.clone(), w.clone()}).toTensor(),
       have = normal.forward({x.clone(), w.clone()}).toTensor();
  EXPECT_TRUE(torch::equal(want, have)) << *test::graphOf(normal);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, NormalFormHazard,
    testing::Values(
        "wt = w.t()\n  x.add_(1)\n  return torch.matmul(x, wt)",
        "y = torch.matmul(x, w.t())\n  x.add_(1)\n  return y + x",
        "wt = w.t()\n  w.mul_(2)\n  return torch.matmul(x, wt)",
        "sh = x.shape\n  sh[0] = 7\n  return x * sh[0]",
        "z = x * 1\n  sh = z.size()\n  z.unsqueeze_(0)\n  return z * sh[1]",
        "z = x * 1\n  a, b = z.shape\n  z.unsqueeze_(0)\n  return z * a + b",
        "z = x.clone()\n  p, q = torch.chunk(z, 2, 1)\n  z.add_(1)\n  return p + q",
        "z = x * 2\n  p, q = torch.unsafe_chunk(z, 2, 1)\n  z.add_(1)\n  return p + q",
        "z = x * 2\n  p, q = torch.unsafe_split(z, 2, 1)\n  p.add_(1)\n  return z",
        "z = x * 2\n  p, q = torch.chunk(z, 2, 1)\n  p.add_(1)\n  q.mul_(p)\n  return p * q + z[:, :2]",
        "p, q = torch.chunk(x * 2, 2, 1)\n  r = p[0]\n  p.add_(1)\n  q.mul_(p)\n  return p * q + r",
        "z = x * 2\n  a = z[0]\n  p, q = torch.chunk(z.relu_(), 2, 1)\n  return p * q + a.sum()",
        "z = x * 2\n  for i in range(3):\n    p, q = torch.chunk(z.add_(1), 2, 1)\n    w = w + p.sum() * "
        "q.sum()\n"
        "  return w",
        "z = x * 2\n  p, q = torch.chunk(z.add_(z), 2, 1)\n  return p * q",
        "z = w + 0\n  p, q = torch.chunk(z.mul_(2), 2, 1)\n  p.add_(q)\n  return p * q + w[:, :2]",
        "l = torch.chunk(x * 2, 2, 1)\n  l[0].add_(1)\n  return l[0] + l[-2]",
        "p, q = torch.chunk(x.expand(2, 4, 4), 2, 1)\n  p = p.clone()\n  p.add_(1)\n  return p + q",
        "p, q = torch.chunk(x * 2, 2, 1)\n  for i in range(3):\n    p.add_(q)\n    q = q + p\n  return p + "
        "q"));

}  // namespace
}  // namespace kadvise::graph

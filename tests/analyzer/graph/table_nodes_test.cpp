// What a table holds where it may not take more than so many bytes.
#include "analyzer/graph/table_nodes.h"

#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

// The operators of a body that are left of a table of at most so many bytes.
std::vector<std::string> heldWithin(const std::string& body, double mostBytes) {
  Shaped s("def forward(self, x):\n" + body, {meta({5})}, {{"w", torch::rand({4})}});
  std::vector<torch::jit::Node*> nodes;
  for (auto* n : s.graph->nodes())
    if (isTensor(n->output()) && n->kind() != torch::jit::prim::GetAttr) nodes.push_back(n);
  std::vector<std::string> out;
  for (auto* n : nodesWithin(nodes, s.traced, mostBytes)) out.push_back(n->kind().toUnqualString());
  return out;
}

constexpr const char* kMaskOfEachText =
    "    t = torch.arange(5, device=self.w.device).to(6)\n"
    "    bias = torch.cos(torch.outer(t, self.w))\n"
    "    each = torch.ones([100, 1, 1], device=self.w.device) + bias\n"
    "    return torch.exp(each)";

TEST(TableNodes, WhatWidensATableAtItsEndStaysOutside) {
  const auto all = heldWithin(kMaskOfEachText, 1e6);
  EXPECT_NE(std::find(all.begin(), all.end(), "exp"), all.end());
  // The bias has 80 bytes, and each of the two after it 8,000.
  EXPECT_EQ(heldWithin(kMaskOfEachText, 7999),
            (std::vector<std::string>{"arange", "to", "outer", "cos", "ones"}));
}

TEST(TableNodes, ATableThatNothingMakesSmallEnoughIsLeftAsItIs) {
  const auto all = heldWithin(kMaskOfEachText, 1e6);
  EXPECT_EQ(heldWithin(kMaskOfEachText, 1), all);
}

}  // namespace
}  // namespace kadvise::graph

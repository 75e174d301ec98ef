// Which activations are alive when, against figures worked out by hand.
#include "analyzer/graph/liveness.h"

#include <gtest/gtest.h>

#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

constexpr double kKB = 4000;  // a tensor of 1000 floats

double peakOf(const std::string& body, const std::vector<c10::IValue>& inputs = {meta({1000})}) {
  Shaped s("def forward(self, x):\n" + body, inputs);
  return livenessOf(*s.graph, s.traced).peakBytes;
}

TEST(Liveness, OfAChainIsTwoTensors) {
  EXPECT_EQ(peakOf("    return torch.exp(torch.sin(torch.relu(torch.tanh(x))))"), 2 * kKB);
  EXPECT_EQ(peakOf("    return torch.exp(x)"), kKB);
}

TEST(Liveness, LeavesOutInputsAndParameters) {
  Shaped s("def forward(self, x):\n    return x * self.w", {meta({1000})}, {{"w", at::zeros({1000})}});
  auto live = livenessOf(*s.graph, s.traced);
  EXPECT_EQ(live.peakBytes, kKB);
  EXPECT_EQ(live.inputBytes, kKB);
}

TEST(Liveness, CountsAViewAsItsBase) {
  EXPECT_EQ(
      peakOf("    y = torch.exp(x)\n    v = y.view([10, 100]).transpose(0, 1)\n    return torch.sin(v)"),
      2 * kKB);
  EXPECT_EQ(peakOf("    y = torch.exp(x)\n    v = y.view([10, 100]).transpose(0, 1).contiguous()\n    return "
                   "torch.sin(v)"),
            2 * kKB);
  // A view that is read late keeps the whole base.
  EXPECT_EQ(
      peakOf("    y = torch.exp(x)\n    v = y[:10]\n    z = torch.sin(torch.cos(x))\n    return z[:10] + v"),
      3 * kKB);
}

TEST(Liveness, KeepsResultsToTheEnd) {
  Shaped s(
      "def forward(self, x):\n    a = torch.exp(x)\n    b = torch.sin(x)\n    c = torch.cos(torch.tanh(b))\n "
      "   return a, c",
      {meta({1000})});
  auto live = livenessOf(*s.graph, s.traced);
  EXPECT_EQ(live.peakBytes, 3 * kKB);
  EXPECT_EQ(live.activations[0].lastUser, nullptr);
}

TEST(Liveness, IsNotExtendedByASizeThatIsReadLate) {
  Shaped s(
      "def forward(self, x):\n    a = torch.exp(x)\n    n = a.size(0)\n    b = torch.sin(a)\n    c = "
      "torch.cos(b)\n    return c * n",
      {meta({1000})});
  auto live = livenessOf(*s.graph, s.traced);
  EXPECT_EQ(live.peakBytes, 2 * kKB);
}

TEST(Liveness, FollowsTensorsThroughLists) {
  EXPECT_EQ(peakOf("    a = torch.exp(x)\n    b = torch.sin(x)\n    return torch.cat([a, b])"), 4 * kKB);
  EXPECT_EQ(
      peakOf(
          "    p = torch.chunk(torch.exp(x), 2)\n    y = torch.sin(torch.cos(x))\n    return y[:500] + p[1]"),
      3 * kKB);
}

TEST(Liveness, NamesThePeakAndWhatIsAliveThere) {
  Shaped s(
      "def forward(self, x):\n    h = torch.exp(x)\n    big = torch.cat([h, h, h])\n    return "
      "torch.sum(torch.relu(big))",
      {meta({1000})});
  auto live = livenessOf(*s.graph, s.traced);
  EXPECT_EQ(live.peakBytes, 6 * kKB);
  EXPECT_EQ(live.order[static_cast<std::size_t>(live.peakAt)]->kind(), torch::jit::aten::relu);
  ASSERT_EQ(live.atPeak().size(), 2u);
  EXPECT_EQ(live.atPeak()[0]->bytes, 3 * kKB);
}

TEST(Liveness, OfWhatALoopReadsFromOutsideLastsToItsEnd) {
  Shaped s(
      "def forward(self, x, n: int):\n    a = torch.exp(x)\n    y = x\n    for i in range(n):\n        y = "
      "torch.cos(torch.sin(y + a))\n    return y",
      {meta({1000})});
  forEachNode(s.graph->block(), [&](torch::jit::Node* n) {
    TracedValue v;
    v.kind = "tensor", v.dtype = at::kFloat, v.shape = {1000}, v.strides = {1};
    if (!n->outputs().empty() && isTensor(n->output(0)) && n->kind() != torch::jit::prim::Loop)
      s.traced.put(valueId(n->output(0)), v);
  });
  auto live = livenessOf(*s.graph, s.traced);
  ASSERT_FALSE(live.activations.empty());
  EXPECT_EQ(live.activations[0].lastUser->kind(), torch::jit::prim::Loop);
}

TEST(Liveness, OfNothingIsNothing) {
  Shaped s("def forward(self, x):\n    return torch.relu(x)", {});
  auto live = livenessOf(*s.graph, s.traced);
  EXPECT_EQ(live.peakBytes, 0);
  EXPECT_EQ(live.peakAt, -1);
  EXPECT_TRUE(live.atPeak().empty());
}

}  // namespace
}  // namespace kadvise::graph

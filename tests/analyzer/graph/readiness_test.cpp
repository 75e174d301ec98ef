#include "analyzer/graph/readiness.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

// Breaks at every node of one kind.
std::vector<Break> breaksAt(torch::jit::Graph& graph, const std::string& kind,
                            const std::vector<std::string>& ends) {
  std::vector<Break> out;
  forEachNode(graph.block(), [&](torch::jit::Node* n) {
    if (n->kind().toQualString() == kind)
      out.push_back({n, "graph-break/test", "F" + std::to_string(out.size()), ends});
  });
  return out;
}

Readiness judge(const torch::jit::Module& m, const std::vector<Break>& breaks,
                const TracedValues& traced = {}) {
  return readinessOf(*test::graphOf(m), {}, breaks, weightsFrom(traced));
}

std::vector<int> sizes(const Readiness& r, const std::string& kind) {
  std::vector<int> out;
  for (auto& region : r.find(kind)->regions) out.push_back(region.operators);
  return out;
}

TEST(Readiness, WithoutBreaksForwardIsOnePiece) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.tanh(torch.exp(x).view(-1)) + x.size(0)");
  auto r = judge(m, {});
  for (const char* kind : {"cuda-graph", "fusion", "compile", "export"}) {
    EXPECT_EQ(sizes(r, kind), std::vector<int>{3}) << kind << ": views and sizes launch nothing";
    EXPECT_TRUE(r.find(kind)->cuts.empty());
    EXPECT_DOUBLE_EQ(r.find(kind)->share, 1.0);
  }
  EXPECT_EQ(r.basis, "operators");
}

TEST(Readiness, ABreakEndsOnlyWhatItsPageSays) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  y = torch.nonzero(torch.exp(x))\n  return torch.tanh(torch.neg(y))");
  auto r = judge(m, breaksAt(*test::graphOf(m), "aten::nonzero", {"sync", "compile", "export"}));
  EXPECT_EQ(sizes(r, "cuda-graph"), (std::vector<int>{1, 2}));
  EXPECT_EQ(sizes(r, "export"), (std::vector<int>{1, 2}));
  EXPECT_EQ(sizes(r, "compile"), (std::vector<int>{1, 2}));
  EXPECT_EQ(sizes(r, "fusion"), std::vector<int>{4});
  EXPECT_DOUBLE_EQ(r.find("cuda-graph")->share, 0.75) << "nonzero itself is in no region";
  ASSERT_EQ(r.find("cuda-graph")->cuts.size(), 1u);
  EXPECT_EQ(r.find("cuda-graph")->cuts[0].findings, std::vector<std::string>{"F0"});
}

TEST(Readiness, WhatExportCarriesAlongBreaksOnlyWhatIsCompiled) {
  auto m = test::moduleOf("def forward(self, x):\n  y = torch.nonzero(torch.exp(x))\n  return torch.tanh(y)");
  auto r = judge(m, breaksAt(*test::graphOf(m), "aten::nonzero", {"sync", "compile"}));
  EXPECT_EQ(sizes(r, "compile"), (std::vector<int>{1, 1}));
  EXPECT_EQ(sizes(r, "export"), std::vector<int>{3});
}

TEST(Readiness, ABranchOnDataMakesItsBranchesPiecesOfTheirOwn) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  y = torch.exp(x)\n  if bool(y.sum() > 0):\n    y = "
      "torch.tanh(torch.neg(y))\n  else:\n    y = torch.relu(y)\n  return y * 2");
  auto r = judge(m, breaksAt(*test::graphOf(m), "prim::If", {"sync", "capture"}));
  EXPECT_EQ(sizes(r, "cuda-graph"), (std::vector<int>{3, 2, 1, 1}));
}

TEST(Readiness, ABranchOnTheHostIsPartOfItsPiece) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  if x.size(0) > 2:\n    x = torch.exp(x)\n  return torch.tanh(x)");
  EXPECT_EQ(sizes(judge(m, {}), "cuda-graph"), std::vector<int>{2});
}

TEST(Readiness, ABreakInALoopCutsBeforeInsideAndAfterIt) {
  auto m = test::moduleOf(
      "def forward(self, x):\n  x = torch.exp(x)\n  for i in range(3):\n    x = torch.tanh(x)\n    x = x * "
      "x.sum().item()\n  return torch.neg(x)");
  auto whole = judge(m, {});
  EXPECT_EQ(whole.find("cuda-graph")->regions.size(), 1u);
  auto r = judge(m, breaksAt(*test::graphOf(m), "aten::item", {"sync"}));
  EXPECT_EQ(sizes(r, "cuda-graph"), (std::vector<int>{1, 2, 1, 1})) << "exp; tanh and sum; mul; neg";
}

TEST(Readiness, SharesAreOfTracedBytes) {
  auto m = test::moduleOf("def forward(self, x, y):\n  return torch.exp(x), torch.nonzero(y)");
  TracedValues traced;
  auto tensor = [](std::vector<std::int64_t> shape) {
    TracedValue v;
    v.kind = "tensor", v.dtype = at::kFloat, v.shape = std::move(shape);
    return v;
  };
  traced.put("in.0", tensor({30}));
  traced.put("in.1", tensor({20}));
  forEachNode(test::graphOf(m)->block(), [&](torch::jit::Node* n) {
    if (n->kind() == torch::jit::aten::exp) traced.put(valueId(n->output()), tensor({30}));
  });
  auto r = judge(m, breaksAt(*test::graphOf(m), "aten::nonzero", {"sync"}), traced);
  EXPECT_EQ(r.basis, "traced bytes");
  EXPECT_DOUBLE_EQ(r.find("cuda-graph")->share, 0.75);
}

TEST(Readiness, SurvivesJson) {
  auto m = test::moduleOf("def forward(self, x):\n  return torch.tanh(torch.nonzero(torch.exp(x)))");
  auto r = judge(m, breaksAt(*test::graphOf(m), "aten::nonzero", {"sync"}));
  r.judgedBy = {"graph-break/test"};
  EXPECT_EQ(Json(Json(r).get<Readiness>()), Json(r));
}

}  // namespace
}  // namespace kadvise::graph

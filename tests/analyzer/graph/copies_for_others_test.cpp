// Copies whose reader another rule replaces: that may take the values as they lie.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

TEST(CopiesForOthers, WaitUntilTheReaderIsDecided) {
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  heads = x.transpose(1, 2).contiguous()\n  return torch.matmul(y, "
      "heads.transpose(-2, -1))");
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, {torch::randn({2, 512, 8, 64}), torch::randn({2, 8, 512, 64})});
  auto aliases = aliasesOf(graph, &m);
  Target target{"cuda", 90};
  std::unordered_set<const torch::jit::Node*> product = {graph->return_node()->input(0)->node()};

  auto alone = findSeparatePasses(RulePage(), {*graph, &m, traced, target, *aliases});
  EXPECT_EQ(alone.findings.size(), 1u);
  EXPECT_FALSE(alone.looksAgain);

  auto beside = findSeparatePasses(RulePage(), {*graph, &m, traced, target, *aliases, product});
  EXPECT_EQ(beside.findings.size(), 0u);
  EXPECT_TRUE(beside.looksAgain);
}

// The text of the program in forward(self, x, y).
std::string programIn(const std::string& body, const std::vector<at::Tensor>& inputs) {
  test::loadKernels();
  auto text = "def forward(self, x, y):\n  " + body;
  auto plain = test::moduleOf(text), changed = test::moduleOf(text);
  auto passes = test::rewritePasses(changed, inputs);
  auto of = [&](torch::jit::Module& m) { return m.forward({inputs[0], inputs[1]}).toTensor(); };
  EXPECT_TRUE(at::allclose(of(changed), of(plain), 1e-5, 1e-6)) << passes.text;
  return passes.text;
}

// Of the one that makes heads out of rows, of which `readers` are products or something else.
std::string programFor(const std::string& readers) {
  return programIn("q = torch.tanh(x.view([2, 5, 3, 4]).transpose(1, 2) * 2)\n  return " + readers,
                   {torch::randn({2, 5, 12}), torch::randn({2, 3, 5, 4})});
}

TEST(CopiesForOthers, AProductOfHeadsGetsThemAsItWouldCopyThem) {
  for (auto* products : {"torch.matmul(q, y.transpose(-2, -1))", "torch.matmul(y, q.transpose(-2, -1))"})
    EXPECT_NE(programFor(products).find("contiguous"), std::string::npos) << products;
  EXPECT_EQ(programFor("torch.matmul(q, y.transpose(-2, -1)) + q.sum()").find("contiguous"),
            std::string::npos)
      << "somebody else reads it";
  EXPECT_NE(programFor("torch.matmul(q, y[0, 0].t())").find("contiguous"), std::string::npos)
      << "one matrix for all heads: rows of a linear layer";
}

TEST(CopiesForOthers, ALinearLayerGetsRowsAsItWouldCopyThem) {
  auto of = [](const std::string& readers) {
    return programIn("v = torch.tanh(x.transpose(1, 2) * 2)\n  return " + readers,
                     {torch::randn({2, 12, 5}), torch::randn({7, 12})});
  };
  EXPECT_NE(of("torch.linear(v, y)").find("contiguous"), std::string::npos);
  EXPECT_EQ(of("torch.linear(v, y).sum() + v").find("contiguous"), std::string::npos) << "somebody else";
}

}  // namespace
}  // namespace kadvise::graph

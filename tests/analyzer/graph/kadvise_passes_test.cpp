// Regions of operators of kadvise, which TorchScript only names in the text of a page.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

torch::jit::Module moduleOfPage(const std::string& body) {
  RulePage page = test::pageOf({});
  auto compiled =
      compileFence(page, {"python", "match", "def f(x, y, w, b):\n    " + body + "\n", {}, "", 1});
  torch::jit::Module m("__torch__.Test");
  m.define("def forward(self, x, y, w, b):\n  return x\n");
  auto graph = test::graphOf(m);
  {
    torch::jit::WithInsertPoint end(graph->return_node());
    auto inputs = graph->inputs();
    auto results = torch::jit::insertGraph(*graph, *compiled.graph, inputs.slice(1));
    graph->eraseOutput(0);
    graph->registerOutput(results.at(0));
  }
  normalise(graph);
  int id = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) { setNodeId(n, id++); });
  return m;
}

TEST(SeparatePassesOfKadvise, OperatorsOfKadviseAreTakenApart) {
  test::loadKernels();
  for (auto* body :
       {"n, s = ops.kadvise.add_layer_norm(x, y, [6], w, b, 1e-5)\n    return torch.relu(n) * 2 + s",
        "n, s = ops.kadvise.add_rms_norm(x, y, w, 1e-6, True)\n    return torch.sigmoid(n) * s",
        "return ops.kadvise.rms_norm(x * 2, w, 1e-6, False) + y",
        "return ops.kadvise.gated_activation(x + 1, y, 'silu') * ops.kadvise.soft_cap(x, 30.0)",
        "c = ops.kadvise.contiguous(torch.transpose(x * 2, 0, 1))\n    return torch.transpose(torch.exp(c), "
        "0, 1) + y",
        "return ops.kadvise.activation(x + b, 'quick_gelu') + ops.kadvise.activation(y, 'gelu_tanh')"}) {
    torch::manual_seed(2);
    std::vector<at::Tensor> inputs = {torch::randn({4, 6}), torch::randn({4, 6}), torch::randn({6}),
                                      torch::randn({6})};
    auto plain = moduleOfPage(body), changed = moduleOfPage(body);
    auto result = test::rewritePasses(changed, inputs);
    EXPECT_EQ(result.rewritten, 1) << body << "\n" << result.reasons << *test::graphOf(changed);
    auto want = test::resultsOf(plain, inputs), have = test::resultsOf(changed, inputs);
    EXPECT_TRUE(torch::allclose(want[0], have[0], 1e-5, 1e-6)) << body << "\n" << result.text;
  }
}

TEST(SeparatePassesOfKadvise, ACopyThatIsAKernelAlreadyStaysWhereItIsAlone) {
  test::loadKernels();
  auto m = moduleOfPage("return ops.kadvise.contiguous(torch.transpose(x, 0, 1))");
  EXPECT_EQ(
      test::rewritePasses(m, {torch::randn({500, 600}), torch::ones({1}), torch::ones({1}), torch::ones({1})})
          .found,
      0);
}

}  // namespace
}  // namespace kadvise::graph

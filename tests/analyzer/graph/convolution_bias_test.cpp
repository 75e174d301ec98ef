// The bias of a convolution in a generated kernel, where the module does not say that there is one.
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

// As every convolution of a scripted module has it.
TEST(SeparatePassesOfConvolutions, TakeABiasThatIsDeclaredAsOneThatMayBeMissing) {
  test::loadKernels();
  torch::jit::Module m("__torch__.Test");
  m.register_attribute("b", c10::OptionalType::ofTensor(), torch::randn({6}), true);
  m.define("def forward(self, x, y):\n  return torch.silu(torch.conv2d(x, y, self.b))\n");
  auto graph = test::graphOf(m);
  normalise(graph);
  int id = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) { setNodeId(n, id++); });
  std::vector<at::Tensor> inputs = {torch::randn({2, 3, 7, 6}), torch::randn({6, 3, 3, 3})};
  auto resultOf = [&] { return m.forward({inputs[0], inputs[1]}).toTensor(); };
  auto want = resultOf();
  EXPECT_EQ(test::rewritePasses(m, inputs).rewritten, 1);
  EXPECT_TRUE(at::allclose(resultOf(), want, 1e-5, 1e-6));
}

}  // namespace
}  // namespace kadvise::graph

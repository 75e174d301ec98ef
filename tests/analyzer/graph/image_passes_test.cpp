// Generated kernels over images, where what counts is not in the text of forward.
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
  auto resultOf = [&] { return test::resultsOf(m, inputs)[0]; };
  auto want = resultOf();
  EXPECT_EQ(test::rewritePasses(m, inputs).rewritten, 1);
  EXPECT_TRUE(at::allclose(resultOf(), want, 1e-5, 1e-6));
}

test::Passes meansOf(const char* body, at::MemoryFormat format) {
  test::loadKernels();
  auto m = test::moduleOf(std::string("def forward(self, x, y):\n  ") + body);
  std::vector<at::Tensor> inputs = {torch::randn({2, 6, 7, 5}).contiguous(format),
                                    torch::randn({2, 6, 7, 5})};
  auto resultOf = [&] { return test::resultsOf(m, inputs)[0]; };
  auto want = resultOf();
  auto passes = test::rewritePasses(m, inputs);
  EXPECT_TRUE(at::allclose(resultOf(), want, 1e-5, 1e-6)) << passes.text;
  return passes;
}

TEST(SeparatePassesOfImages, AMeanOfAllPixelsIsOneWhereChannelsLieTogether) {
  const char* mean = "return torch.adaptive_avg_pool2d(x, [1, 1])";
  EXPECT_EQ(meansOf(mean, at::MemoryFormat::ChannelsLast).rewritten, 1);
  EXPECT_EQ(meansOf(mean, at::MemoryFormat::Contiguous).found, 0);
  EXPECT_EQ(meansOf("return torch.adaptive_avg_pool2d(x, [1, 5])", at::MemoryFormat::ChannelsLast).found, 0);
}

// ATen's launches three kernels, and the weights of a convolution before it would take it in.
TEST(SeparatePassesOfImages, ABatchNormIsOneWhereNoConvolutionIsBefore) {
  auto found = [](const std::string& before) {
    test::loadKernels();
    auto m = test::moduleOf("def forward(self, x):\n  return torch.batch_norm(" + before +
                                ", self.w, self.b, self.b, self.v, False, 0.1, 1e-5, False)",
                            {{"w", torch::randn({6})},
                             {"b", torch::randn({6})},
                             {"v", torch::rand({6}) + 1},
                             {"k", torch::randn({6, 6, 3, 3})}});
    std::vector<at::Tensor> inputs = {torch::randn({2, 6, 7, 5})};
    auto want = test::resultsOf(m, inputs)[0];
    auto passes = test::rewritePasses(m, inputs);
    EXPECT_TRUE(at::allclose(test::resultsOf(m, inputs)[0], want, 1e-5, 1e-6)) << passes.text;
    return passes.found;
  };
  EXPECT_EQ(found("torch.max_pool2d(x, [2, 2])"), 1);
  EXPECT_EQ(found("torch.conv2d(x, self.k)"), 0);
}

TEST(SeparatePassesOfImages, AMeanOfAllPixelsStaysOutOfOtherPrograms) {
  auto passes = meansOf("return torch.relu(torch.adaptive_avg_pool2d(torch.silu(x + y) * 2, [1, 1])) + 1",
                        at::MemoryFormat::Contiguous);
  EXPECT_EQ(passes.rewritten, 2) << passes.text;
  EXPECT_EQ(passes.text.find("mean"), std::string::npos) << passes.text;
}

// The order is what the copy is for: a convolution would make it anew.
TEST(SeparatePassesOfImages, ACopyIntoChannelsLastStaysOneWithWhatReadsIt) {
  test::loadKernels();
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  c = torch.permute(ops.kadvise.contiguous(torch.permute(x, [0, 2, 3, 1])), "
      "[0, 3, 1, "
      "2])\n  return torch.relu(c * y), c");
  std::vector<at::Tensor> inputs = {torch::randn({2, 6, 7, 5}), torch::randn({6, 1, 1})};
  auto want = test::resultsOf(m, inputs);
  auto passes = test::rewritePasses(m, inputs);
  EXPECT_EQ(passes.rewritten, 1) << passes.reasons << passes.text;
  auto have = test::resultsOf(m, inputs);
  for (std::size_t i : {0, 1}) {
    EXPECT_TRUE(at::allclose(have[i], want[i], 1e-5, 1e-6));
    EXPECT_EQ(have[i].strides(), want[i].strides()) << passes.text;
  }
}

}  // namespace
}  // namespace kadvise::graph

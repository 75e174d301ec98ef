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

TEST(SeparatePassesOfImages, AMeanOfManyPixelsTakesInWhatItAloneReads) {
  auto passesOf = [](const std::string& results, at::MemoryFormat format) {
    test::loadKernels();
    auto m = test::moduleOf("def forward(self, x, y):\n  h = torch.gelu(x + y)\n  return " + results);
    std::vector<at::Tensor> inputs = {torch::randn({2, 6, 64, 72}).contiguous(format),
                                      torch::randn({6, 1, 1})};
    auto want = test::resultsOf(m, inputs);
    auto passes = test::rewritePasses(m, inputs);
    auto have = test::resultsOf(m, inputs);
    for (std::size_t i = 0; i < want.size(); ++i)
      EXPECT_TRUE(at::allclose(have[i], want[i], 1e-5, 1e-6)) << passes.text;
    return passes;
  };
  const std::string mean = "torch.adaptive_avg_pool2d(h, [1, 1])";
  for (auto format : {at::MemoryFormat::ChannelsLast, at::MemoryFormat::Contiguous}) {
    auto alone = passesOf(mean, format);
    EXPECT_EQ(alone.rewritten, 1) << alone.reasons << alone.text;
    EXPECT_NE(alone.text.find("mean"), std::string::npos) << alone.text;
  }
  auto others = passesOf("torch.conv2d(h, torch.ones([1, 6, 3, 3])), " + mean, at::MemoryFormat::Contiguous);
  EXPECT_EQ(others.text.find("mean"), std::string::npos) << others.text;
}

// What the region makes lies as before. seen: what it is found with; later: what both are called with.
void liesAsBefore(const std::string& body, const std::vector<at::Tensor>& seen,
                  const std::vector<at::Tensor>& later) {
  test::loadKernels();
  const std::string forward = "def forward(self, x, y):\n  h = torch.relu(x * 2)\n  " + body;
  auto plain = test::moduleOf(forward), changed = test::moduleOf(forward);
  auto passes = test::rewritePasses(changed, seen);
  EXPECT_GE(passes.rewritten, 1) << body << passes.reasons << passes.text;
  auto want = test::resultsOf(plain, later), have = test::resultsOf(changed, later);
  ASSERT_EQ(have.size(), want.size());
  for (std::size_t i = 0; i < want.size(); ++i) {
    EXPECT_TRUE(at::allclose(have[i], want[i], 1e-5, 1e-6)) << body;
    EXPECT_EQ(have[i].strides(), want[i].strides()) << i << " of " << body << "\n" << passes.text;
  }
}
void liesAsBefore(const std::string& body, const std::vector<at::Tensor>& inputs) {
  liesAsBefore(body, inputs, inputs);
}

const std::string kInChannelsLast =
    "c = torch.permute(ops.kadvise.contiguous(torch.permute(h, [0, 2, 3, 1])), [0, 3, 1, 2])\n  ";

// The order is what the copy is for: a convolution would make it anew.
TEST(SeparatePassesOfImages, ACopyIntoChannelsLastStaysOneWithWhatReadsIt) {
  liesAsBefore(kInChannelsLast + "return torch.relu(c * y), c",
               {torch::randn({2, 6, 7, 5}), torch::randn({6, 1, 1})});
}

TEST(SeparatePassesOfImages, ACopyOfOneChannelOrPixelIsIntoChannelsLastAllTheSame) {
  std::vector<at::Tensor> later = {torch::randn({2, 6, 7, 5}), torch::randn({6, 1, 1})};
  for (auto& seen : {std::vector<at::Tensor>{torch::randn({2, 1, 7, 5}), torch::randn({1, 1, 1})},
                     std::vector<at::Tensor>{torch::randn({2, 6, 1, 1}), torch::randn({6, 1, 1})}})
    liesAsBefore(kInChannelsLast + "return torch.relu(c * y), c", seen, later);
}

TEST(SeparatePassesOfImages, ACopyThatChangesNoOrderDecidesNone) {
  const auto x = torch::randn({2, 6, 7, 5}), y = torch::randn({6, 1, 1});
  liesAsBefore(
      "c = ops.kadvise.contiguous(torch.permute(h, [0, 2, 3, 1]))\n  d = (h - 1).contiguous()\n  "
      "return d + y, c, d",
      {x.contiguous(at::MemoryFormat::ChannelsLast), y});
  liesAsBefore(
      "c = ops.kadvise.contiguous(h)\n  e = torch.exp(c).transpose(1, 2).contiguous()\n  "
      "return e + 1, e",
      {x, y});
}

// Code behind it may see it in another shape, as memory that follows in order.
TEST(SeparatePassesOfImages, WhatIsTurnedAndMadeContiguousIsContiguous) {
  const std::string turned = "s = h.transpose(1, 2).contiguous()\n  ";
  for (auto* rest :
       {"return torch.exp(h) + 1, s", "return torch.exp(s.transpose(1, 2)) + h",
        "return torch.softmax(s.transpose(1, 2), -1), s", "return torch.relu(s.transpose(1, 2) * y)"})
    liesAsBefore(turned + rest, {torch::randn({2, 6, 7, 5}), torch::randn({6, 1, 1})});
  liesAsBefore(turned + kInChannelsLast + "return s, c", {torch::randn({2, 6, 7, 5}), torch::ones({1})});
}

}  // namespace
}  // namespace kadvise::graph

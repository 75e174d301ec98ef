// Paddings that are words are the numbers that they stand for.
#include "analyzer/graph/convolution_modes.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

const std::vector<std::pair<std::string, at::Tensor>> kWeights = {{"signal", at::randn({4, 3, 4})},
                                                                  {"odd", at::randn({4, 3, 3, 5})},
                                                                  {"even", at::randn({4, 3, 2, 3})},
                                                                  {"volume", at::randn({4, 3, 1, 2, 3})},
                                                                  {"b", at::randn({4})}};

std::size_t wordsIn(torch::jit::Graph& graph) {
  return nodesWhere(graph.block(),
                    [](torch::jit::Node* n) {
                      for (auto* in : n->inputs())
                        if (auto word = torch::jit::toIValue(in); word && word->isString()) return true;
                      return false;
                    })
      .size();
}

void expectNumbers(const std::string& call, const at::Tensor& x, std::size_t wordsLeft = 0) {
  SCOPED_TRACE(call);
  auto m = test::moduleOf("def forward(self, x):\n  return " + call, kWeights);
  const auto want = m.clone().forward({x}).toTensor();
  auto graph = test::graphOf(m);
  paddingsAsNumbers(*graph, m);
  graph->lint();
  EXPECT_EQ(wordsIn(*graph), wordsLeft) << *graph;
  EXPECT_TRUE(torch::equal(m.forward({x}).toTensor(), want)) << *graph;
}

TEST(ConvolutionModes, AreNumbers) {
  const auto image = at::randn({2, 3, 9, 10});
  expectNumbers("torch.conv2d(x, self.odd, self.b, 1, 'same')", image);
  expectNumbers("torch.conv2d(x, self.odd, None, [1, 1], 'same', [2, 1])", image);
  expectNumbers("torch.conv2d(x, self.even, self.b, 1, 'same')", image);
  expectNumbers("torch.conv2d(x, self.even, self.b, 1, 'same', [3, 2])", image[0]);
  expectNumbers("torch.conv2d(x, self.even, self.b, [2, 1], 'valid')", image);
  expectNumbers("torch.conv1d(x, self.signal, self.b, 1, 'same')", at::randn({2, 3, 9}));
  expectNumbers("torch.conv1d(x, self.signal, self.b, 2, 'valid', 2)", at::randn({2, 3, 19}));
  expectNumbers("torch.conv3d(x, self.volume, self.b, 1, 'same', [1, 3, 1])", at::randn({2, 3, 4, 5, 6}));
  expectNumbers("torch._convolution_mode(x, self.odd, self.b, [1, 1], 'same', [1, 1], 1)", image);
  expectNumbers("torch._convolution_mode(x, self.even, None, [1, 2], 'valid', [1, 1], 1)", image);
}

TEST(ConvolutionModes, OfComputedWeightsStay) {
  expectNumbers("torch.conv2d(x, self.odd * 2, self.b, 1, 'same')", at::randn({2, 3, 9, 10}), 1);
}

}  // namespace
}  // namespace kadvise::graph

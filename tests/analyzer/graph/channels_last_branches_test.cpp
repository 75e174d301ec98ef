// Which convolutions are laid out together.
#include "tests/analyzer/graph/laid_out.h"

namespace kadvise::graph {
namespace {

std::vector<std::size_t> convolutionsOfFindings(const std::string& body,
                                                const std::vector<at::Tensor>& inputs) {
  auto m = test::moduleOf("def forward(self, x, y):\n" + body,
                          {{"w", torch::randn({8, 8, 3, 3})}, {"u", torch::randn({8, 8, 3, 3})}});
  auto graph = test::graphOf(m);
  auto traced = test::tracedOf(m, *graph, inputs);
  auto aliases = aliasesOf(graph, &m);
  Target target{"cpu", 0};
  std::vector<std::size_t> out;
  for (auto& f : findConvolutionsInNchw(RulePage(), {*graph, &m, traced, target, *aliases}).findings)
    out.push_back(1 + f.related.size());
  return out;
}

// Each alone would convert the image for itself.
TEST(ChannelsLastBranches, OfOneImageAreLaidOutTogether) {
  const std::vector<at::Tensor> inputs = {torch::randn({2, 8, 12, 12}), torch::randn({2, 8, 12, 12})};
  auto branches = [](const std::string& second) {
    return "  a = torch.conv2d(torch.relu(torch.conv2d(x, self.w)), self.u)\n"
           "  b = torch.conv2d(torch.relu(torch.conv2d(" +
           second + ", self.u)), self.w)\n  return torch.softmax(a, -1), torch.softmax(b, -1)";
  };
  EXPECT_EQ(convolutionsOfFindings(branches("x"), inputs), (std::vector<std::size_t>{4}));
  EXPECT_EQ(convolutionsOfFindings(branches("y"), inputs), (std::vector<std::size_t>{2, 2}));
}

}  // namespace
}  // namespace kadvise::graph

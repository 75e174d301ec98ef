// channels_last around norms, for which a rule before the pass has operators that keep it.
#include "tests/analyzer/graph/laid_out.h"

namespace kadvise::graph {
namespace {

using test::graphOf;
using test::moduleOf;

// ATen's convert to channels first inside, but on a GPU a rule before the pass puts ours in their place.
TEST(ChannelsLastNorms, AreTakenAlongWhereARuleReplacesThem) {
  const std::string instance = ", None, None, None, None, True, 0.1, 1e-5, False)";
  const std::string bodies[] = {
      "    h = torch.group_norm(torch.conv2d(x, self.w, None, [1, 1], [1, 1]), 2)\n"
      "    return torch.group_norm(torch.conv2d(torch.relu(h), self.u, None, [1, 1], [1, 1]), 2)",
      "    h = torch.instance_norm(torch.conv2d(x, self.w, None, [1, 1], [1, 1])" + instance +
          "\n    return torch.instance_norm(torch.conv2d(torch.relu(h), self.u, None, [1, 1], [1, 1])" +
          instance,
      "    h = torch.instance_norm(torch.conv3d(x, self.solid)" + instance +
          "\n    return torch.instance_norm(torch.conv3d(torch.relu(h), self.solid)" + instance};
  for (const std::string& body : bodies) {
    const bool isVolume = body.find("conv3d") != std::string::npos;
    torch::manual_seed(3);
    auto m = moduleOf("def forward(self, x):\n" + body, {{"w", torch::randn({8, 8, 3, 3})},
                                                         {"u", torch::randn({8, 8, 3, 3})},
                                                         {"solid", torch::randn({8, 8, 1, 1, 1})}});
    auto graph = graphOf(m);
    auto traced = test::tracedOf(m, *graph,
                                 {isVolume ? torch::randn({2, 8, 6, 12, 12}) : torch::randn({2, 8, 12, 12})});
    auto aliases = aliasesOf(graph, &m);
    for (auto& [device, found] : std::map<std::string, std::size_t>{{"cpu", 0}, {"cuda", 1}}) {
      Target target{device, 0};
      auto result = findConvolutionsInNchw(RulePage(), {*graph, &m, traced, target, *aliases});
      EXPECT_EQ(result.findings.size(), found) << device << "\n" << body;
    }
  }
}

TEST(ChannelsLastNorms, ByRunningStatisticsAreLeftAlone) {
  auto m = moduleOf(
      "def forward(self, x):\n"
      "    h = torch.instance_norm(torch.conv2d(x, self.w), None, None, self.m, self.v, False, 0.1, 1e-5, "
      "False)\n"
      "    return torch.instance_norm(torch.conv2d(h, self.w), None, None, self.m, self.v, False, 0.1, 1e-5, "
      "False)",
      {{"w", torch::randn({8, 8, 3, 3})}, {"m", torch::zeros({8})}, {"v", torch::ones({8})}});
  auto graph = graphOf(m);
  auto traced = test::tracedOf(m, *graph, {torch::randn({2, 8, 12, 12})});
  auto aliases = aliasesOf(graph, &m);
  Target target{"cuda", 0};
  auto result = findConvolutionsInNchw(RulePage(), {*graph, &m, traced, target, *aliases});
  EXPECT_TRUE(result.findings.empty());
}

}  // namespace
}  // namespace kadvise::graph

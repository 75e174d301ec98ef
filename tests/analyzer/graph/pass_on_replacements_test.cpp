// A pass over a region in which replacements have been at work already.
#include "analyzer/graph/apply.h"
#include "analyzer/graph/channels_last.h"
#include "analyzer/graph/fold.h"
#include "analyzer/graph/made_nodes.h"
#include "tests/analyzer/graph/hazards.h"

namespace kadvise::graph {
namespace {

constexpr const char* kConvolution = "torch.conv2d(a, w, None, [1, 1], [0, 0], [1, 1], 1)";
constexpr const char* kScaledWeight = "torch.conv2d(a, w * 2.0, None, [1, 1], [0, 0], [1, 1], 1)";
constexpr const char* kCopiedWeight = "torch.conv2d(a, w.clone(), None, [1, 1], [0, 0], [1, 1], 1)";

test::TestRule ruleOf(const std::string& match, const std::string& replace) {
  return test::TestRule(
      {{"match", "def p(a, w):\n    return " + match}, {"replace", "def r(a, w):\n    return " + replace}},
      {{{"a", parseInputSpec("float[1,3,8,8]"), ""}, {"w", parseInputSpec("float[4,3,3,3]"), ""}}});
}

// Two convolutions, and a product between them that a replacement takes into the first one's weight.
struct Setting {
  torch::jit::Module module = test::moduleOf(
      "def forward(self, x):\n    h = torch.conv2d(x, self.stem) * 2.0\n    return torch.conv2d(h, self.w)",
      {{"stem", torch::randn({8, 3, 3, 3})}, {"w", torch::randn({8, 8, 3, 3}) / 8}});
  std::shared_ptr<torch::jit::Graph> graph = test::graphOf(module);
  at::Tensor input = torch::randn({2, 3, 12, 12}), want = module.forward({input}).toTensor();
  TracedValues traced = test::tracedOf(module, *graph, {input});
  std::vector<int> ids;
  int scaled = -1;
  StandIns made;

  Setting() {
    forEachNode(graph->block(), [&](torch::jit::Node* n) {
      ids.push_back(nodeId(n));
      if (n->kind() == torch::jit::aten::mul) scaled = nodeId(n);
    });
  }
  SiteResult apply(const test::TestRule& rule, int root) {
    auto& group = rule.rule.groups[0];
    return applyAt(module, group.patterns[0], group.replacements[0], {root}, traced, made);
  }
  std::vector<std::string> layOut() {
    RegionPass pass;
    pass.change = layOutChannelsLast;
    return applyPass(module, pass, ids, traced, made);
  }
  void expectSameResult() {
    EXPECT_EQ(foldWeights(module, HandedTo::Caller), 2);
    finishFolding(module);
    auto have = module.forward({input}).toTensor();
    EXPECT_TRUE(at::allclose(want, have, 1e-4, 1e-5));
    EXPECT_TRUE(have.is_contiguous());
  }
};

const std::vector<std::string> kWholeRegion = {"2 operators in channels_last, 2 convolutions of them",
                                               "1 conversion on the way in, 1 on the way out",
                                               "2 weights stored in channels_last"};

TEST(PassOnReplacements, ReachesWhatReplacementsInserted) {
  Setting s;
  auto rule = ruleOf(std::string(kConvolution) + " * 2.0", kScaledWeight);
  ASSERT_EQ(s.apply(rule, s.scaled).whyNot, "");
  EXPECT_EQ(s.layOut(), kWholeRegion) << *s.graph;
  s.expectSameResult();
}

// As in later rounds, where what the first replacement inserted has ids and the second one stands on it.
TEST(PassOnReplacements, ReachesWhatReplacedAReplacement) {
  Setting s;
  auto first = ruleOf(std::string(kConvolution) + " * 2.0", kScaledWeight),
       second = ruleOf(kConvolution, kCopiedWeight);
  std::vector<NodeInfo> nodes(static_cast<std::size_t>(*std::max_element(s.ids.begin(), s.ids.end()) + 1));
  MadeNodes names(nodes);
  auto done = s.apply(first, s.scaled);
  ASSERT_EQ(done.whyNot, "");
  names.name(done.inserted, "C1", 0, {});
  int convolution = nodeId(done.inserted.back());
  simplify(s.graph);
  normaliseAgain(s.graph);  // as patterns are
  auto again = s.apply(second, convolution);
  ASSERT_EQ(again.whyNot, "");
  names.name(again.inserted, "C2", 0, {});
  EXPECT_EQ(s.layOut(), kWholeRegion) << *s.graph;
  forgetMadeIds(*s.graph);
  s.expectSameResult();
}

TEST(PassOnReplacements, ARootThatAnotherReplacedIsGone) {
  Setting s;
  auto rule = ruleOf(std::string(kConvolution) + " * 2.0", kScaledWeight);
  ASSERT_EQ(s.apply(rule, s.scaled).status, SiteStatus::Applied);
  EXPECT_EQ(s.apply(rule, s.scaled).status, SiteStatus::Gone);
}

}  // namespace
}  // namespace kadvise::graph

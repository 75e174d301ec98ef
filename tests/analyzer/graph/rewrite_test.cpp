// Graphs in which a careless rewrite would change the result: unchanged or rightly rewritten, by running them.
#include "analyzer/graph/rewrite.h"

#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

const std::pair<std::string, std::string> kPattern = {"match", "def p(a, b):\n    s = a + b\n    return torch.relu(s), s"};
// Equal, but visibly another graph.
const std::pair<std::string, std::string> kReplacement = {"replace", "def r(a, b):\n    s = b + a\n    return torch.clamp(s, min=0.0), s"};
const std::vector<Case> kCases = {{{"a", parseInputSpec("float[2]"), ""}, {"b", parseInputSpec("float[2]"), ""}}};

struct Result {
  int rewritten = 0;
  std::vector<std::string> reasons;
};

Result rewriteAll(const torch::jit::Module& m) {
  static const test::TestRule rule({kPattern, kReplacement}, kCases);
  auto& group = rule.rule.groups[0];
  auto graph = test::graphOf(m);
  Result result;
  for (bool again = true; again;) {
    again = false;
    std::vector<torch::jit::Node*> nodes;
    forEachNode(graph->block(), [&](torch::jit::Node* n) { nodes.push_back(n); });
    result.reasons.clear();
    for (auto* n : nodes) {
      NearMiss near;
      auto match = matchAt(group.patterns[0], n, {}, near);
      if (!match) continue;
      torch::jit::AliasDb aliases(graph, true);
      if (auto why = whyUnsafe(group.patterns[0], *match, aliases)) {
        result.reasons.push_back(why->at + " " + why->reason);
        continue;
      }
      auto done = rewrite(*graph, group.patterns[0], group.replacements[0], *match, aliases);
      if (done.refused) {
        result.reasons.push_back(done.refused->at + " " + done.refused->reason);
        continue;
      }
      ++result.rewritten;
      again = true;
      break;
    }
  }
  return result;
}

struct Hazard {
  const char* name;
  const char* body;
  int rewritten;
};
class RewriteHazard : public testing::TestWithParam<Hazard> {};

TEST_P(RewriteHazard, KeepsTheMeaning) {
  std::string forward = std::string("def forward(self, x, y):\n  ") + GetParam().body;
  torch::jit::Module plain("__torch__.Plain");
  plain.define(forward + "\n");
  auto changed = test::moduleOf(forward);
  auto result = rewriteAll(changed);
  EXPECT_EQ(result.rewritten, GetParam().rewritten) << (result.reasons.empty() ? "" : result.reasons[0]);
  torch::manual_seed(1);
  auto x = torch::randn({3, 4}), y = torch::randn({3, 4});
  auto x1 = x.clone(), y1 = y.clone(), x2 = x.clone(), y2 = y.clone();
  auto want = plain.forward({x1, y1}), have = changed.forward({x2, y2});
  EXPECT_TRUE(torch::equal(x1, x2)) << "the same writes to the inputs";
  EXPECT_TRUE(torch::equal(y1, y2));
  auto flat = [](const c10::IValue& v) { return v.isTensor() ? v.toTensor() : torch::cat({v.toTuple()->elements()[0].toTensor(), v.toTuple()->elements()[1].toTensor()}); };
  EXPECT_TRUE(torch::equal(flat(want), flat(have))) << *test::graphOf(changed);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, RewriteHazard,
    testing::Values(
        Hazard{"simple", "return torch.relu(x + y)", 1},
        Hazard{"sum_used_after", "s = x + y\n  return torch.relu(s) * s", 1},
        Hazard{"sum_used_between", "s = x + y\n  t = s * 3\n  return torch.relu(s) + t", 1},
        Hazard{"two_sites", "return torch.relu(torch.relu(x + y) + x)", 2},
        Hazard{"operand_written_between", "z = x * 1\n  v = z.view(-1)\n  s = z + y\n  v.add_(1)\n  return torch.relu(s) + z", 0},
        Hazard{"input_written_before", "x.add_(1)\n  return torch.relu(x + y)", 0},
        Hazard{"input_written_between", "s = x + y\n  x.mul_(2)\n  return torch.relu(s) + x", 0},
        Hazard{"input_written_after", "r = torch.relu(x + y)\n  x.mul_(2)\n  return r + x", 0},
        Hazard{"sum_written_through_view", "s = x + y\n  v = s[0]\n  v.add_(5)\n  return torch.relu(s) + s", 0},
        Hazard{"result_written_through_view", "r = torch.relu(x + y)\n  v = r[0]\n  v.add_(5)\n  return r", 0},
        Hazard{"slice_assigned", "s = x + y\n  r = torch.relu(s)\n  s[0] = r[1]\n  return r + s", 0},
        Hazard{"across_if", "s = x + y\n  if bool(y.sum() > 0):\n    s = torch.relu(s)\n  return s", 0},
        Hazard{"inside_if", "if bool(y.sum() > -100):\n    x = torch.relu(x + y)\n  return x", 1},
        Hazard{"inside_loop", "for i in range(3):\n    x = torch.relu(x + y)\n  return x", 1},
        Hazard{"factor", "return torch.relu(torch.add(x, y, alpha=2))", 0},
        Hazard{"number", "return torch.relu(x + 1)", 0},
        Hazard{"same_operand", "return torch.relu(x + x)", 1},
        Hazard{"both_returned", "s = x + y\n  return torch.relu(s), s", 1},
        Hazard{"viewed", "return torch.relu(x + y).view(-1)", 1},
        Hazard{"viewed_through_transpose", "return torch.relu(x + y).transpose(0, 1).transpose(0, 1).view(-1)", 1},
        Hazard{"view_written_to", "v = torch.relu(x + y).view(-1)\n  v.add_(1)\n  return v", 0},
        Hazard{"strides_looked_at", "return torch.as_strided(torch.relu(x + y), [2, 2], [1, 2])", 0},
        Hazard{"strides_looked_at_through_a_slice", "return torch.as_strided(torch.relu(x + y)[1:], [2, 2], [1, 2])", 0},
        Hazard{"a_write_elsewhere", "z = torch.zeros_like(x)\n  z[0] = x[1]\n  return torch.relu(x + y) + z", 1},
        Hazard{"in_a_dictionary", "d: Dict[str, Tensor] = {}\n  r = torch.relu(x + y)\n  d['a'] = r\n  return d['a'] * 2", 1},
        Hazard{"in_a_dictionary_and_written", "d: Dict[str, Tensor] = {}\n  r = torch.relu(x + y)\n  d['a'] = r\n  d['a'].mul_(2)\n  return r", 1},
        Hazard{"returned_dictionary", "d: Dict[str, Tensor] = {}\n  d['a'] = torch.relu(x + y)\n  return d['a'], d['a']", 1},
        Hazard{"reshaped", "return torch.relu(x + y).reshape(-1)", 1},
        Hazard{"in_place_relu", "s = x + y\n  s.relu_()\n  return s", 1},
        Hazard{"random_between", "s = x + y\n  t = torch.zeros_like(s)\n  return torch.relu(s) + t", 1}),
    [](const auto& info) { return info.param.name; });

TEST(Rewrite, AValueThatIsUsedElsewhereIsNamed) {
  test::TestRule rule({std::pair<std::string, std::string>{"match", "def p(a, b):\n    return torch.relu(a + b)"}});
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  return torch.relu(s) * torch.tanh(s)");
  auto graph = test::graphOf(m);
  torch::jit::AliasDb aliases(graph, true);
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    NearMiss near;
    if (auto match = matchAt(rule.rule.groups[0].patterns[0], n, {}, near)) {
      auto why = whyUnsafe(rule.rule.groups[0].patterns[0], *match, aliases);
      ASSERT_TRUE(why);
      EXPECT_NE(why->reason.find("is also used by aten::tanh"), std::string::npos) << why->reason;
    }
  });
}

TEST(Rewrite, AParameterThatTheRegionMakesIsRefused) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.tanh(a) + b"}, {"replace", "def r(a, b):\n    return b + torch.tanh(a)"}}, kCases);
  auto& pattern = rule.rule.groups[0].patterns[0];
  auto m = test::moduleOf("def forward(self, x):\n  t = torch.tanh(x)\n  return t + t");
  auto graph = test::graphOf(m);
  NearMiss near;
  auto match = matchAt(pattern, graph->outputs()[0]->node(), {}, near);
  ASSERT_TRUE(match);
  auto why = whyUnsafe(pattern, *match, *aliasesOf(graph));
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "is an input of the region and made by it, too");
}

TEST(Rewrite, ReadersOfAMiddleResultComeAfterTheReplacement) {
  test::TestRule rule({{"match", "def p(a, b):\n    s = a + b\n    return torch.relu(torch.tanh(s)), s"},
                       {"replace", "def r(a, b):\n    s = b + a\n    return torch.clamp(torch.tanh(s), min=0.0), s"}},
                      kCases);
  auto& group = rule.rule.groups[0];
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  t = torch.tanh(s)\n  u = torch.exp(s)\n  return torch.relu(t), u");
  auto graph = test::graphOf(m);
  torch::Tensor x = torch::randn({2, 3}), y = torch::randn({2, 3});
  auto s = x + y;
  torch::jit::Node* anchor = nullptr;
  forEachNode(graph->block(), [&](torch::jit::Node* n) { anchor = n->kind() == torch::jit::aten::relu ? n : anchor; });
  NearMiss near;
  auto match = matchAt(group.patterns[0], anchor, {}, near);
  ASSERT_TRUE(match);
  auto aliases = aliasesOf(graph);
  EXPECT_FALSE(whyUnsafe(group.patterns[0], *match, *aliases));
  EXPECT_FALSE(rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases).refused);
  auto have = m.forward({x, y}).toTuple()->elements().vec();
  EXPECT_TRUE(torch::equal(torch::relu(torch::tanh(s)), have[0].toTensor()));
  EXPECT_TRUE(torch::equal(torch::exp(s), have[1].toTensor()));
}

}  // namespace
}  // namespace kadvise::graph

// What rewrites say of themselves; what they do to modules is in hazard_memory_test.cpp and
// hazard_flow_test.cpp.
#include "analyzer/graph/rewrite.h"

#include <set>

#include "analyzer/graph/find.h"
#include "tests/analyzer/graph/graphs.h"

TORCH_LIBRARY_FRAGMENT(kadvise_test, m) { m.def("tanh_add(Tensor a, Tensor z, str? into=None) -> Tensor"); }

namespace kadvise::graph {
namespace {

TEST(Rewrite, AValueThatIsUsedElsewhereIsNamed) {
  test::TestRule rule(
      {std::pair<std::string, std::string>{"match", "def p(a, b):\n    return torch.relu(a + b)"}});
  auto m = test::moduleOf("def forward(self, x, y):\n  s = x + y\n  return torch.relu(s) * torch.tanh(s)");
  auto graph = test::graphOf(m);
  Aliases aliases(graph, /*isFrozen=*/true, nullptr);
  int matches = 0;
  forEachNode(graph->block(), [&](torch::jit::Node* n) {
    NearMiss near;
    if (auto match = matchAt(rule.rule.groups[0].patterns[0], n, {}, near)) {
      ++matches;
      auto why = whyUnsafe(rule.rule.groups[0].patterns[0], *match, aliases, ResultMemory::PerhapsShared);
      ASSERT_TRUE(why);
      EXPECT_NE(why->reason.find("is also used by aten::tanh"), std::string::npos) << why->reason;
    }
  });
  EXPECT_EQ(matches, 1);
}

const std::vector<Case> kCases = {
    {{"a", parseInputSpec("float[2]"), ""}, {"b", parseInputSpec("float[2]"), ""}}};

// How many places a rule for a parameter w finds in x * (the expression).
std::size_t placesOfWeight(const std::string& expression) {
  auto weight = parseInputSpec("weight float[2,3]");
  test::TestRule rule({{"match", "def p(x, w):\n    return torch.relu(x * w)"},
                       {"replace", "def r(x, w):\n    return torch.clamp(x * w, min=0.0)"}},
                      {{{"x", parseInputSpec("float[2,3]"), ""}, {"w", weight, ""}}});
  auto m = test::moduleOf("def forward(self, x):\n  return torch.relu(x * " + expression + ")",
                          {{"gain", torch::ones({3})}});
  auto graph = test::graphOf(m);
  return findSites(rule.rule, *graph, *aliasesOf(graph), {}, {}, {"cpu", 0}).sites.size();
}

TEST(Rewrite, AViewOfAParameterIsAParameter) {
  for (auto* weight : {"self.gain", "self.gain[None, :]", "self.gain.view([1, 3])",
                       "self.gain.unsqueeze(0).unsqueeze(0)[0]"})
    EXPECT_EQ(placesOfWeight(weight), 1u) << weight;
  for (auto* computed : {"torch.tanh(self.gain)", "self.gain.view([x.size(0), 3])", "x[None, :]"})
    EXPECT_EQ(placesOfWeight(computed), 0u) << computed;
}

TEST(Rewrite, AParameterThatTheRegionMakesIsRefused) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.tanh(a) + b"},
                       {"replace", "def r(a, b):\n    return b + torch.tanh(a)"}},
                      kCases);
  auto& pattern = rule.rule.groups[0].patterns[0];
  auto m = test::moduleOf("def forward(self, x):\n  t = torch.tanh(x)\n  return t + t");
  auto graph = test::graphOf(m);
  NearMiss near;
  auto match = matchAt(pattern, graph->outputs()[0]->node(), {}, near);
  ASSERT_TRUE(match);
  auto why = whyUnsafe(pattern, *match, *aliasesOf(graph), ResultMemory::New);
  ASSERT_TRUE(why);
  EXPECT_EQ(why->reason, "is an input of the region and made by it, too");
}

// What torch.jit.trace makes of nn.GRUCell; the new state goes through x * 0.5 + 1 and tanh.
constexpr const char* kGruCell =
    "def forward(self, x, h, w, u):\n  a, b, c = torch.unsafe_chunk(torch.linear(x, w), 3, 1)\n"
    "  d, e, f = torch.unsafe_chunk(torch.linear(h, u), 3, 1)\n"
    "  r = torch.sigmoid_(d.add_(a))\n  z = torch.sigmoid_(e.add_(b))\n  n = torch.tanh_(c + f.mul_(r))\n"
    "  y = (h - n).mul_(z).add_(n)\n  return y, torch.relu(x + h)";

TEST(Rewrite, TheGatesOfACellAreNoWritesToItsInputs) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.relu(a + b)"},
                       {"replace", "def r(a, b):\n    return torch.clamp(a + b, min=0.0)"}},
                      kCases);
  auto m = test::moduleOf(kGruCell);
  auto graph = test::graphOf(m);
  auto found = findSites(rule.rule, *graph, *aliasesOf(graph), {}, {}, {"cpu", 0});
  EXPECT_EQ(found.sites.size(), 1u);
  for (auto& r : found.refused) ADD_FAILURE() << r.mismatch.at << " " << r.mismatch.reason;
}

std::set<const torch::jit::Node*> nodesOf(torch::jit::Graph& graph) {
  return {graph.nodes().begin(), graph.nodes().end()};
}

// Whoever names what a rewrite made, or measures it, reads the list.
void expectAllListed(torch::jit::Graph& graph, const std::set<const torch::jit::Node*>& before,
                     const Rewritten& done) {
  std::set<const torch::jit::Node*> listed(done.inserted.begin(), done.inserted.end());
  for (auto* n : graph.nodes()) EXPECT_NE(before.count(n), listed.count(n)) << *n;
}

TEST(Rewrite, AReplacementsOwnErrorNamesTheInput) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.relu(a + b)"},
                       {"replace",
                        "def r(a, b):\n    assert b.size(0) == 2, \"{b} has another size\"\n    return "
                        "torch.clamp(a + b, min=0.0)"}},
                      kCases);
  auto& group = rule.rule.groups[0];
  auto m = test::moduleOf("def forward(self, x, bias):\n  return torch.relu(x + bias)");
  auto graph = test::graphOf(m);
  NearMiss near;
  auto match = matchAt(group.patterns[0], graph->outputs()[0]->node(), {}, near);
  ASSERT_TRUE(match);
  auto aliases = aliasesOf(graph);
  auto before = nodesOf(*graph);
  auto done = rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases);
  EXPECT_FALSE(done.refused);
  expectAllListed(*graph, before, done);
  auto text = graph->toString();
  EXPECT_NE(text.find("the input bias has another size"), std::string::npos) << text;
}

// Changes of layout look at operators one after the other, and not into branches.
TEST(Rewrite, OfBranchesOnWhatThePatternKnowsTheTakenArmsAreLeft) {
  const std::string parameters = "(a, b, tanh: bool, relu: bool):\n";
  test::TestRule rule(
      {{"match",
        "def p" + parameters +
            "    s = a + b\n    if tanh:\n        return torch.tanh(s)\n    elif relu:\n        return "
            "torch.relu(s)\n    return s"},
       {"replace",
        "def r" + parameters +
            "    s = b + a\n    if tanh:\n        return torch.tanh(s)\n    elif relu:\n        return "
            "torch.clamp(s, min=0.0)\n    return s"}},
      kCases);
  auto& group = rule.rule.groups[0];
  for (auto* behind : {"tanh", "relu"}) {
    auto m = test::moduleOf("def forward(self, x, y):\n  return torch." + std::string(behind) + "(x + y)");
    auto graph = test::graphOf(m);
    std::optional<Match> match;
    std::size_t place = 0;
    for (; !match && place < group.patterns.size(); ++place) {
      NearMiss near;
      match = matchAt(group.patterns[place], graph->outputs()[0]->node(), {}, near);
    }
    ASSERT_TRUE(match) << behind;
    auto aliases = aliasesOf(graph);
    auto before = nodesOf(*graph);
    auto done = rewrite(*graph, group.patterns[place - 1], group.replacements[0], *match, *aliases);
    expectAllListed(*graph, before, done);
    EXPECT_EQ(graph->toString().find("prim::If"), std::string::npos) << graph->toString();
    torch::Tensor x = torch::randn({2}), y = torch::randn({2});
    auto want = behind == std::string("tanh") ? torch::tanh(x + y) : torch::relu(x + y);
    EXPECT_TRUE(torch::equal(want, m.forward({x, y}).toTensor())) << behind;
  }
}

// What the operator is told of the place that a rule finds in this forward.
c10::IValue writtenInto(const std::string& forward) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.tanh(a) + b"},
                       {"replace", "def r(a, b):\n    return ops.kadvise_test.tanh_add(a, b)"}},
                      kCases);
  auto& group = rule.rule.groups[0];
  auto graph = test::graphOf(test::moduleOf("def forward(self, x, y):\n" + forward));
  NearMiss near;
  auto aliases = aliasesOf(graph);
  torch::jit::Node* sum = nullptr;
  forEachNode(graph->block(), [&](auto* n) { sum = n->kind() == torch::jit::aten::add ? n : sum; });
  auto match = matchAt(group.patterns[0], sum, {}, near);
  if (!match) return "no match in " + graph->toString();
  auto before = nodesOf(*graph);
  auto done = rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases);
  expectAllListed(*graph, before, done);
  return toIValue(done.results.at(0)->node()->input(2)).value();
}

// The sum behind the cast that a sum in place of unknown dtypes gets.
torch::jit::Value* withoutCast(torch::jit::Value* v) {
  return v->node()->kind() == torch::jit::aten::to ? v->node()->input(0) : v;
}

TEST(Rewrite, AnOperatorThatAddsIsToldWhatWasWrittenTo) {
  EXPECT_TRUE(writtenInto("  return torch.tanh(x) + y").isNone());
  EXPECT_TRUE(writtenInto("  return y + torch.tanh(x)").isNone());
  EXPECT_EQ(writtenInto("  s = torch.tanh(x)\n  s += y\n  return s"), "product");
  EXPECT_EQ(writtenInto("  s = torch.exp(y)\n  s.add_(torch.tanh(x))\n  return s"), "z");
}

// What a rule makes of a sum, and whether the sum itself is a result of it, too.
struct Ending {
  const char *pattern, *replacement, *forward;
};

constexpr Ending kEndings[] = {
    {"    return torch.relu(a + b)", "    return torch.clamp(a + b, min=0.0)", "\n  return torch.relu(s)"},
    {"    s = a + b\n    return torch.layer_norm(s, [3]), s",
     "    s = b + a\n    return torch.layer_norm(s, [3]), s", "\n  return torch.layer_norm(s, [3]), s"}};

// The module after the rewrite of its sum; nullopt where none was made.
std::optional<torch::jit::Module> rewritten(const Ending& ending, const std::string& body) {
  test::TestRule rule({{"match", std::string("def p(a, b):\n") + ending.pattern},
                       {"replace", std::string("def r(a, b):\n") + ending.replacement}},
                      kCases);
  auto& group = rule.rule.groups[0];
  auto m = test::moduleOf("def forward(self, x, y):\n" + body + ending.forward);
  auto graph = test::graphOf(m);
  torch::jit::Node* last = nullptr;
  forEachNode(graph->block(), [&](auto* n) {
    if (n->kind() == torch::jit::aten::to) n->output()->replaceAllUsesWith(withoutCast(n->output()));
    if (n->kind() == torch::jit::aten::relu || n->kind() == torch::jit::aten::layer_norm) last = n;
  });
  NearMiss near;
  auto aliases = aliasesOf(graph);
  auto match = matchAt(group.patterns[0], last, {}, near);
  if (!match || rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases).refused)
    return std::nullopt;
  return m;
}

bool refuses(torch::jit::Module& m, std::int64_t rowsOfX, std::int64_t rowsOfY) {
  try {
    m.forward({torch::randn({rowsOfX, 3}), torch::randn({rowsOfY, 3})});
    return false;
  } catch (const std::exception&) {
    return true;
  }
}

TEST(Rewrite, ASumInPlaceRefusesALargerOperandAsBefore) {
  struct Form {
    const char* body;
    bool refusesMoreOfY, refusesMoreOfX;
  };
  for (auto& ending : kEndings)
    for (auto& form : {Form{"  s = x + y", false, false}, Form{"  s = torch.exp(x)\n  s += y", true, false},
                       Form{"  s = torch.exp(y)\n  s += x", false, true}}) {
      auto m = rewritten(ending, form.body);
      ASSERT_TRUE(m) << form.body << ending.forward;
      EXPECT_FALSE(refuses(*m, 2, 2)) << form.body << ending.forward;
      EXPECT_EQ(refuses(*m, 1, 2), form.refusesMoreOfY) << form.body << ending.forward;
      EXPECT_EQ(refuses(*m, 2, 1), form.refusesMoreOfX) << form.body << ending.forward;
    }
}

// The expanded view has the dimensions of what is written to: not those that the replacement turns.
TEST(Rewrite, ASumInPlaceIsRefusedWhereTheReplacementTurnsItsOperand) {
  test::TestRule rule({{"match", "def p(a, b):\n    return torch.relu(torch.transpose(a + b, 0, 1))"},
                       {"replace",
                        "def r(a, b):\n    return torch.clamp(torch.permute(a, [1, 0]) + torch.permute(b, "
                        "[1, 0]), min=0.0)"}},
                      kCases);
  auto& group = rule.rule.groups[0];
  for (bool isInPlace : {false, true}) {
    auto m = test::moduleOf(std::string("def forward(self, x, y):\n") +
                            (isInPlace ? "  s = torch.exp(x)\n  s += y" : "  s = torch.exp(x) + y") +
                            "\n  return torch.relu(torch.transpose(s, 0, 1))");
    auto graph = test::graphOf(m);
    torch::jit::Node *relu = graph->outputs()[0]->node(), *turn = relu->input(0)->node();
    turn->replaceInput(0, withoutCast(turn->input(0)));
    NearMiss near;
    auto aliases = aliasesOf(graph);
    auto match = matchAt(group.patterns[0], relu, {}, near);
    ASSERT_TRUE(match);
    auto refused = rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases).refused;
    EXPECT_EQ(refused.has_value(), isInPlace);
  }
}

TEST(Rewrite, ReadersOfAMiddleResultComeAfterTheReplacement) {
  test::TestRule rule(
      {{"match", "def p(a, b):\n    s = a + b\n    return torch.relu(torch.tanh(s)), s"},
       {"replace", "def r(a, b):\n    s = b + a\n    return torch.clamp(torch.tanh(s), min=0.0), s"}},
      kCases);
  auto& group = rule.rule.groups[0];
  auto m = test::moduleOf(
      "def forward(self, x, y):\n  s = x + y\n  t = torch.tanh(s)\n  u = torch.exp(s)\n  return "
      "torch.relu(t), u");
  auto graph = test::graphOf(m);
  torch::Tensor x = torch::randn({2, 3}), y = torch::randn({2, 3});
  auto s = x + y;
  torch::jit::Node* anchor = nullptr;
  forEachNode(graph->block(),
              [&](torch::jit::Node* n) { anchor = n->kind() == torch::jit::aten::relu ? n : anchor; });
  NearMiss near;
  auto match = matchAt(group.patterns[0], anchor, {}, near);
  ASSERT_TRUE(match);
  auto aliases = aliasesOf(graph);
  EXPECT_FALSE(whyUnsafe(group.patterns[0], *match, *aliases, ResultMemory::New));
  EXPECT_FALSE(rewrite(*graph, group.patterns[0], group.replacements[0], *match, *aliases).refused);
  auto have = m.forward({x, y}).toTuple()->elements().vec();
  EXPECT_TRUE(torch::equal(torch::relu(torch::tanh(s)), have[0].toTensor()));
  EXPECT_TRUE(torch::equal(torch::exp(s), have[1].toTensor()));
}

}  // namespace
}  // namespace kadvise::graph

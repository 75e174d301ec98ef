// What one call has shown and another may not show again: numbers, ranks and dtypes that no check holds.
#include "analyzer/graph/find.h"
#include "analyzer/graph/settled.h"
#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;
using test::Shaped;

// tanh(x * k) where k is positive, by a replacement that takes k or not.
Search searchFor(const Shaped& s, bool taken) {
  test::TestRule rule({{"match", "def p(x, k: float):\n    return torch.tanh(x * k)"},
                       {"when", "def w(k: float):\n    return k > 0.0"},
                       {"replace", taken ? "def r(x, k: float):\n    return torch.sin(x * k)"
                                         : "def r(x, k: float):\n    return torch.sin(x)"}},
                      {{{"x", parseInputSpec("float[2,3]"), ""}, {"k", std::nullopt, "0.5"}}});
  auto aliases = aliasesOf(s.graph);
  return findSites(rule.rule, *s.graph, *aliases, {}, s.traced, {"cpu", 0});
}

constexpr const char* kOfAnArgument = "def forward(self, x, k: float):\n  return torch.tanh(x * k)";
constexpr const char* kOfASize = "def forward(self, x):\n  return torch.tanh(x * (1.0 / float(x.size(0))))";
constexpr const char* kConstant = "def forward(self, x):\n  return torch.tanh(x * 0.5)";

TEST(OtherCall, ANumberThatTheConditionReadsMayChange) {
  for (auto& s : {Shaped(kOfAnArgument, {meta({2, 3}), 0.5}), Shaped(kOfASize, {meta({2, 3})})}) {
    auto search = searchFor(s, /*taken=*/false);
    EXPECT_TRUE(search.sites.empty());
    ASSERT_EQ(search.refused.size(), 1u) << *s.graph;
    EXPECT_EQ(search.refused[0].mismatch.reason, "is a number that another call may change");
  }
}

TEST(OtherCall, AFactorThatTheReplacementTakesMayChange) {
  EXPECT_EQ(searchFor(Shaped(kOfAnArgument, {meta({2, 3}), 0.5}), /*taken=*/true).sites.size(), 1u);
}

TEST(OtherCall, AConstantDoesNotChange) {
  EXPECT_EQ(searchFor(Shaped(kConstant, {meta({2, 3})}), /*taken=*/false).sites.size(), 1u);
}

struct Rank {
  const char* name;
  const char* expression;  // of x, of two dimensions
  bool settled;
};
class SettledRank : public testing::TestWithParam<Rank> {};

TEST_P(SettledRank, HangsOnNoNumber) {
  Shaped s("def forward(self, x):\n  return " + std::string(GetParam().expression), {meta({4, 4})});
  Settled settled(*s.graph, s.traced);
  EXPECT_EQ(settled.tensor(s.graph->outputs()[0]) != nullptr, GetParam().settled) << *s.graph;
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, SettledRank,
    testing::Values(Rank{"keepdim", "x.sum(1, keepdim=x.size(0) > 2)", false},
                    Rank{"constant_keepdim", "x.sum(1, keepdim=True)", true},
                    Rank{"start_of_flatten", "torch.flatten(x, 1 if x.size(0) > 2 else 0)", false},
                    Rank{"end_of_slice", "x[:, :x.size(0)]", true}, Rank{"factor", "x * x.size(0)", true},
                    Rank{"shape", "x.reshape(x.size(0), -1, 2)", true},
                    Rank{"squeeze", "torch.squeeze(x)", false}),
    [](const auto& info) { return info.param.name; });

// The same of bools is bool, and of what they become in a loop it is not.
TEST(OtherCall, TheSquareOfWhatALoopCarriesStaysAProduct) {
  auto m = test::moduleOf(
      "def forward(self, x, n: int):\n  y = x + 1\n  for i in range(n):\n    y = y > 0.5\n  return y * y");
  auto graph = test::graphOf(m);
  EXPECT_EQ(graph->outputs()[0]->node()->kind(), torch::jit::aten::mul) << *graph;
}

}  // namespace
}  // namespace kadvise::graph

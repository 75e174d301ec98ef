// What stands in the way of doing on the whole what is done on each step: the operand is named.
#include "analyzer/graph/loop_over_sequence.h"

#include "tests/analyzer/graph/shapes.h"

namespace kadvise::graph {
namespace {

using test::meta;

struct Refused {
  const char* name;
  const char* body;  // of x [2, 3, 4], row [4], column [3, 1]; two steps
  const char* reason;
};
void PrintTo(const Refused& r, std::ostream* out) { *out << r.name; }

class RefusedSteps : public testing::TestWithParam<Refused> {};

TEST_P(RefusedSteps, NameTheOperand) {
  std::string forward = "def forward(self, x, row, column):\n  " + std::string(GetParam().body);
  test::Shaped s(forward, {meta({2, 3, 4}), meta({4}), meta({2, 1})});
  Target target{"cuda", 90};
  auto result =
      findLoopsOverSequences(RulePage(), {*s.graph, &s.module, s.traced, target, *aliasesOf(s.graph)});
  EXPECT_TRUE(result.findings.empty());
  ASSERT_EQ(result.refused.size(), 1u) << result.whyNothing;
  EXPECT_EQ(result.refused[0].why.at, "the steps joined by aten::stack:");
  EXPECT_EQ(result.refused[0].why.reason, GetParam().reason);
}

INSTANTIATE_TEST_SUITE_P(
    Graphs, RefusedSteps,
    testing::Values(
        Refused{"meets_the_steps", "return torch.stack([x[:, 0] * column, x[:, 1] * column], 1)",
                "the second operand of aten::mul, the input column, would meet the dimension of the steps"},
        Refused{"other_operators",
                "return torch.stack([x[:, 0] * torch.relu(x[:, 0]), x[:, 1] * torch.tanh(x[:, 1])], 1)",
                "the steps are not alike: one makes aten::relu, another aten::tanh"},
        Refused{"another_rank",
                "return torch.stack([torch.matmul(x[:, 0], row), torch.matmul(x[:, 1], row)], 1)",
                "aten::matmul changes the rank of a step"},
        Refused{"the_first_with_each",
                "return torch.stack([torch.linear(x[:, 0], x[:, 0]), torch.linear(x[:, 1], x[:, 0])], 1)",
                "the first step is an operand of all of them"}),
    [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace kadvise::graph

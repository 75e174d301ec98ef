#include "analyzer/graph/rule.h"

#include "analyzer/core/catalogue.h"
#include "analyzer/core/error.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

struct Bad {
  const char* name;
  std::vector<std::pair<std::string, std::string>> fences;
  const char* error;
};
class BadRule : public testing::TestWithParam<Bad> {};

TEST_P(BadRule, SaysWhereAndWhat) {
  auto page = test::pageOf(GetParam().fences);
  page.cases = {{{"x", parseInputSpec("float[2]"), ""}}};
  try {
    compileRule(page);
    ADD_FAILURE() << "accepted";
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("test.md:", 0), 0u) << e.what();
    EXPECT_NE(std::string(e.what()).find(GetParam().error), std::string::npos) << e.what();
  }
}

const std::string kGood = "def p(x):\n    return torch.relu(x)";

INSTANTIATE_TEST_SUITE_P(
    Errors, BadRule,
    testing::Values(
        Bad{"syntax", {{"match", "def p(x:\n    return x"}}, "does not compile"},
        Bad{"empty_subscript_over_lines",
            {{"match", "def p(x):\n    return x[ # none\n\r] + 1"}},
            "an index without a number"},
        Bad{"empty_subscript", {{"match", "def p(x):\n    return x[] + 1"}}, "an index without a number"},
        Bad{"deep_brackets",
            {{"match", "def p(x):\n    return " + std::string(3000, '(') + "x"}},
            "brackets within each other"},
        Bad{"long_statement",
            {{"match", "def p(x):\n    return x" + std::string(5000, '-') + "x"}},
            "a statement of more than"},
        Bad{"long_block",
            {{"match", "def p(x):\n" + std::string(40000, '\n') + "    return x"}},
            "is longer than 32 KiB"},
        Bad{"unknown_operator", {{"match", "def p(x):\n    return torch.frobnicate(x)"}}, "frobnicate"},
        Bad{"module_function",
            {{"match", "def p(x):\n    y = x + 1\n    return torch.nn.functional.relu(y)"}},
            "return torch.nn.functional.relu(y); write ATen operators as torch.NAME"},
        Bad{"unknown_name", {{"match", "def p(x):\n    return torch.relu(z)"}}, "z"},
        Bad{"two_functions", {{"match", kGood + "\n\ndef q(x):\n    return x"}}, "exactly one function"},
        Bad{"identity", {{"match", "def p(x):\n    return x"}}, "computes nothing"},
        Bad{"unused_parameter",
            {{"match", "def p(x, y):\n    return torch.relu(x)"}},
            "parameter y is not used"},
        Bad{"loop",
            {{"match", "def p(x):\n    for i in range(3):\n        x = torch.relu(x)\n    return x"}},
            "cannot hold if or loops"},
        Bad{"unreachable",
            {{"match", "def p(x, y):\n    return torch.relu(x), torch.tanh(y)"}},
            "must depend on the others"},
        Bad{"other_parameters",
            {{"match", kGood}, {"replace", "def r(y):\n    return torch.tanh(y)"}},
            "takes (y), its pattern (x)"},
        Bad{"other_results",
            {{"match", kGood}, {"replace", "def r(x):\n    return torch.tanh(x), x"}},
            "another number of results"},
        Bad{"group_parameters",
            {{"match", kGood}, {"match", "def p(y):\n    return torch.tanh(y)"}},
            "take the same parameters"},
        Bad{"replacement_first",
            {{"replace", "def r(x):\n    return torch.tanh(x)"}, {"match", kGood}},
            "stands after its pattern"},
        Bad{"when_behind_a_replacement",
            {{"match", kGood},
             {"replace", "def r(x):\n    return torch.tanh(x)"},
             {"when", "def w(x):\n    return True"}},
            "stands after its pattern"},
        Bad{"when_unknown", {{"match", kGood}, {"when", "def w(z: int):\n    return z > 1"}}, "asks for z"},
        Bad{"no_case",
            {{"match", "def p(q):\n    return torch.relu(q)"},
             {"replace", "def r(q):\n    return torch.tanh(q)"}},
            "could not be proven"}),
    [](const auto& info) { return info.param.name; });

TEST(Rule, AnErrorInTheTextNamesItsOwnLine) {
  auto page = test::pageOf({{"match", "def p(x):\n    y = torch.relu(x)\n    return torch.frobnicate(y)"}});
  try {
    compileRule(page);
    ADD_FAILURE();
  } catch (const Error& e) {
    EXPECT_EQ(std::string(e.what()).rfind("test.md:12:", 0), 0u)
        << e.what() << " (the block starts at line 10)";
  }
}

TEST(Rule, AReplacementEndsAGroup) {
  auto page = test::pageOf({{"match", kGood},
                            {"match", "def p(x):\n    return torch.tanh(x)"},
                            {"replace", "def r(x):\n    return torch.abs(x)"},
                            {"match", "def p(x):\n    return torch.exp(x)"},
                            {"replace", "def r(x):\n    return torch.sin(x)"},
                            {"replace", "def r(x):\n    return torch.cos(x)"}});
  page.cases = {{{"x", parseInputSpec("float[2]"), ""}}};
  auto rule = compileRule(page);
  ASSERT_EQ(rule.groups.size(), 2u);
  EXPECT_EQ(rule.groups[0].patterns.size(), 2u);
  EXPECT_EQ(rule.groups[1].replacements.size(), 2u);
}

RulePage pageWithDomain(const std::string& parameters) {
  auto page = test::pageOf({{"match",
                             "def p(x, m: Optional[Tensor]):\n    if m is not None:\n        x = x + m\n"
                             "    return torch.softmax(x, -1)"},
                            {"replace", "def r(x, m: Optional[Tensor]):\n    return torch.relu(x)"}});
  page.fences[1].attributes = {{"domain", "rows of -inf: NaN becomes 0"}, {"domainWith", parameters}};
  page.cases = {{{"x", parseInputSpec("float[2]"), ""}, {"m", parseInputSpec("float[2]"), ""}}};
  return page;
}

TEST(Rule, ADifferenceIsDeclaredOnlyWhereTheParameterIsThereThatItIsAbout) {
  auto page = pageWithDomain("m");
  auto rule = compileRule(page);
  ASSERT_EQ(rule.groups.size(), 2u);
  ASSERT_EQ(rule.groups[0].patterns.size(), 1u);
  EXPECT_FALSE(rule.groups[0].patterns[0].fixed[1]);
  EXPECT_EQ(rule.groups[0].replacements[0].info.domain, "rows of -inf: NaN becomes 0");
  ASSERT_EQ(rule.groups[1].patterns.size(), 1u);
  EXPECT_TRUE(rule.groups[1].patterns[0].fixed[1]->isNone());
  EXPECT_EQ(rule.groups[1].replacements[0].info.domain, "");
  page = pageWithDomain("mask");
  EXPECT_THROW(compileRule(page), Error);
}

// The readings of a pattern, each as its operators in order: "matmul mul".
std::vector<std::string> readingsOf(const std::string& pattern) {
  auto page = test::pageOf({{"match", pattern}});
  auto rule = compileRule(page);
  std::vector<std::string> out;
  for (auto& p : rule.groups.at(0).patterns) {
    std::string words;
    for (auto* n : p.graph->nodes())
      if (n->kind() != jit::prim::Constant)
        words += (words.empty() ? "" : " ") + std::string(n->kind().toUnqualString());
    out.push_back(words);
  }
  return out;
}

TEST(Rule, EachCombinationOfAnswersIsAReadingTheLargestFirst) {
  EXPECT_EQ(
      readingsOf("def p(x, m: Optional[Tensor], s: Optional[float], late: bool):\n"
                 "    assert s is not None or not late\n"
                 "    if s is not None and not late:\n        x = x * s\n"
                 "    if m is not None:\n        x = torch.maximum(x, m)\n"
                 "    if late and s is not None:\n        x = x * s\n"
                 "    return torch.relu(x)"),
      (std::vector<std::string>{"maximum mul relu", "mul maximum relu", "mul relu", "maximum relu", "relu"}));
}

TEST(Rule, WhatAnAssertLeavesOutNeedNotBeAPattern) {
  EXPECT_EQ(readingsOf("def p(x, a: bool, b: bool):\n"
                       "    assert not (a and b)\n"
                       "    if a and b:\n        for i in range(x.size(0)):\n            x = torch.relu(x)\n"
                       "    if a:\n        x = torch.tanh(x)\n"
                       "    elif b:\n        x = torch.abs(x)\n"
                       "    return torch.exp(x)"),
            (std::vector<std::string>{"abs exp", "tanh exp", "exp"}));
}

TEST(Rule, ReadingsThatComputeTheSameAreOne) {
  EXPECT_EQ(readingsOf("def p(x, a: bool, b: bool):\n"
                       "    if a:\n        if b:\n            x = torch.tanh(x)\n"
                       "    return torch.exp(x)"),
            (std::vector<std::string>{"tanh exp", "exp"}));
}

TEST(Rule, AnAssertMayStandInsideABranch) {
  EXPECT_EQ(readingsOf("def p(x, m: Optional[Tensor], w: Optional[Tensor]):\n"
                       "    if m is None:\n        assert w is None\n"
                       "    else:\n        x = x + m\n"
                       "    if w is not None:\n        x = torch.maximum(x, w)\n"
                       "    return torch.exp(x)"),
            (std::vector<std::string>{"add maximum exp", "add exp", "exp"}));
}

TEST(Rule, ABranchThatOneReadingLeavesIsAnErrorOfTheBlock) {
  EXPECT_THROW(readingsOf("def p(x, a: bool):\n"
                          "    if a:\n        if x.size(0) > 3:\n            x = torch.tanh(x)\n"
                          "    return torch.exp(x)"),
               Error);
}

}  // namespace
}  // namespace kadvise::graph

// What tells at a glance that a pattern has no place.
#include "analyzer/graph/landmarks.h"

#include "analyzer/core/catalogue.h"
#include "analyzer/graph/rule.h"
#include "tests/analyzer/graph/row_regions.h"

namespace kadvise::graph {
namespace {

constexpr const char* kTwoReadings =
    "def p(x, m: Optional[Tensor], wide: bool):\n    if m is not None:\n        x = x + m\n"
    "    if wide:\n        p = torch.softmax(x, -1, dtype=torch.float32).to(x.dtype)\n"
    "    else:\n        p = torch.softmax(x, -1)\n    return torch.tanh(p)";

std::vector<std::string> landmarksOf(const std::string& pattern) {
  auto page = test::pageOf({{"match", pattern}});
  std::vector<std::string> out;
  for (auto kind : graph::landmarksOf(*compileFence(page, page.fences[0]).graph))
    out.push_back(kind.toUnqualString());
  return out;
}

TEST(Landmarks, AreWhatEveryReadingHas) {
  EXPECT_EQ(landmarksOf(kTwoReadings), (std::vector<std::string>{"softmax", "tanh"}));
  EXPECT_EQ(landmarksOf("def p(x, s: Optional[float], wide: bool):\n    assert s is not None or wide\n"
                        "    if s is not None:\n        x = x * s\n    return torch.relu(x)"),
            std::vector<std::string>{"relu"});
}

// Or a rule would be left out of a module in which it has a place.
TEST(Landmarks, AreInEveryReadingOfABundledPage) {
  test::loadKernels();
  for (auto& page : loadCatalogue({std::filesystem::path(KADVISE_SOURCE_DIR) / "rules"}).pages) {
    if (!page.function.empty()) continue;
    auto rule = compileRule(page);
    for (auto* fence : page.with("match")) {
      auto landmarks = graph::landmarksOf(*compileFence(page, *fence).graph);
      for (auto& group : rule.groups)
        for (auto& p : group.patterns)
          for (auto kind : landmarks)
            EXPECT_TRUE(p.line != fence->line || operatorsOf(*p.graph).count(kind))
                << page.id << ":" << fence->line << " " << kind.toQualString();
    }
  }
}

RulePage pageOfTwo() {
  auto page =
      test::pageOf({{"match", kTwoReadings},
                    {"replace", "def r(x, m: Optional[Tensor], wide: bool):\n    return torch.abs(x)"},
                    {"match", "def p(x):\n    return torch.exp(x)"},
                    {"replace", "def r(x):\n    return torch.sin(x)"}});
  page.cases = {{{"x", parseInputSpec("float[2]"), ""}},
                {{"x", parseInputSpec("float[2]"), ""}, {"m", parseInputSpec("float[2]"), ""}}};
  return page;
}

TEST(Landmarks, LeaveOutGroupsThatHaveNoPlace) {
  auto page = pageOfTwo();
  auto kind = [](const char* name) { return c10::Symbol::aten(name); };
  Operators present = {kind("softmax"), kind("exp")};
  auto rule = compileRule(page, &present);
  ASSERT_EQ(rule.groups.size(), 1u);
  EXPECT_EQ(rule.lacking, std::vector<c10::Symbol>{kind("tanh")});
  EXPECT_TRUE(rule.holdsFor(present));
  present.insert(kind("tanh"));
  EXPECT_FALSE(rule.holdsFor(present));
  EXPECT_EQ(compileRule(page, &present).groups.size(), 2u);
  EXPECT_EQ(compileRule(page).groups.size(), 2u);
}

// A group of several spellings has a place where one of them may.
TEST(Landmarks, OfOneSpellingKeepTheGroup) {
  auto page = test::pageOf({{"match", "def p(x):\n    return torch.exp(x)"},
                            {"match", "def p(x):\n    return torch.exp2(x)"},
                            {"replace", "def r(x):\n    return torch.sin(x)"}});
  page.cases = {{{"x", parseInputSpec("float[2]"), ""}}};
  Operators present = {c10::Symbol::aten("exp2")};
  EXPECT_EQ(compileRule(page, &present).groups.size(), 1u);
  present = {c10::Symbol::aten("tanh")};
  auto rule = compileRule(page, &present);
  EXPECT_TRUE(rule.groups.empty());
  EXPECT_TRUE(rule.holdsFor(present));
  for (auto* name : {"exp", "exp2"}) EXPECT_FALSE(rule.holdsFor({c10::Symbol::aten(name)})) << name;
}

}  // namespace
}  // namespace kadvise::graph

#include "analyzer/graph/compiled_pages.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "tests/analyzer/core/temporary_folder.h"
#include "tests/analyzer/graph/graphs.h"

namespace kadvise::graph {
namespace {

const std::string kRules = KADVISE_SOURCE_DIR "/rules", kPatterns = kRules + "/fusion/silu-written-out.md",
                  kCoded = kRules + "/fusion/sibling-linears.md";

std::string textOf(const Rule& rule) {
  std::string text;
  for (auto& g : rule.groups) {
    for (auto& p : g.patterns) text += p.graph->toString(/*print_source_locations=*/false);
    for (auto& r : g.replacements) text += r.graph->toString(/*print_source_locations=*/false);
  }
  return text;
}

std::string errorOf(const std::function<void()>& step) {
  try {
    step();
    return "none";
  } catch (const Error& e) {
    return e.what();
  }
}

TEST(CompiledPages, GiveWhatIsCompiledWhereItIsAskedFor) {
  const Operators present = {c10::Symbol::aten("sigmoid"), c10::Symbol::aten("mul")};
  CompiledPages ahead(kRules), none(kRules);
  ahead.compile({kPatterns, kCoded}, present);
  auto page = ahead.page(kPatterns), later = none.page(kPatterns);
  auto rule = ahead.rule(*page, &present), made = none.rule(*later, &present);
  EXPECT_EQ(rule, ahead.rule(*page, &present)) << "compiled once";
  EXPECT_NE(made, none.rule(*later, &present));
  EXPECT_EQ(rule->page, page.get());
  EXPECT_EQ(textOf(*rule), textOf(*made));
  EXPECT_FALSE(ahead.page(kCoded)->function.empty());
}

// Specialised, a module may have operators that it had not when its pages were compiled.
TEST(CompiledPages, AreCompiledAnewWhereWhatWasLeftOutMayHaveAPlace) {
  const std::string path = kRules + "/fusion/log-softmax.md";
  const Operators none = {}, all = {c10::Symbol::aten("softmax"), c10::Symbol::aten("log")};
  CompiledPages ahead(kRules);
  ahead.compile({path}, none);
  auto page = ahead.page(path);
  EXPECT_TRUE(ahead.rule(*page, &none)->groups.empty());
  EXPECT_FALSE(ahead.rule(*page, &all)->groups.empty());
  EXPECT_FALSE(ahead.rule(*page, nullptr)->groups.empty());
}

TEST(CompiledPages, OfTheUserAreCompiledWhole) {
  CompiledPages ahead("/another/folder");
  ahead.compile({kPatterns}, {});
  auto page = ahead.page(kPatterns);
  auto rule = ahead.rule(*page, nullptr);
  EXPECT_FALSE(rule->groups.empty());
  EXPECT_EQ(rule, ahead.rule(*page, nullptr)) << "compiled once";
}

TEST(CompiledPages, APageThatIsAskedForTwiceIsReadTwice) {
  CompiledPages ahead("");
  ahead.compile({kPatterns, kPatterns}, {});
  auto first = ahead.page(kPatterns), second = ahead.page(kPatterns);
  ASSERT_NE(first, nullptr);
  ASSERT_NE(second, nullptr);
  EXPECT_EQ(ahead.rule(*first, nullptr)->page, first.get());
  EXPECT_EQ(ahead.rule(*second, nullptr)->page, second.get());
}

TEST(CompiledPages, WhatCannotBeUsedIsSaidToThoseWhoAsk) {
  kadvise::test::TemporaryFolder folder;
  const std::string broken = (folder.path / "broken.md").string(),
                    empty = (folder.path / "empty.md").string(),
                    absent = (folder.path / "absent.md").string();
  std::string text = readFile(kPatterns, 1 << 20);
  for (auto at = text.find("torch.sigmoid"); at != std::string::npos; at = text.find("torch.sigmoid"))
    text.replace(at, 13, "torch.frobnicate");
  writeFile(broken, text);
  writeFile(empty, "");
  CompiledPages ahead(kRules), none(kRules);
  ahead.compile({broken, empty, absent}, {});
  for (auto& path : {empty, absent}) {
    auto said = errorOf([&] { ahead.page(path); });
    EXPECT_NE(said, "none");
    EXPECT_EQ(said, errorOf([&] { none.page(path); }));
  }
  auto page = ahead.page(broken);
  auto said = errorOf([&] { ahead.rule(*page, nullptr); });
  EXPECT_NE(said.find("frobnicate"), std::string::npos) << said;
  EXPECT_EQ(said, errorOf([&] { none.rule(*none.page(broken), nullptr); }));
}

}  // namespace
}  // namespace kadvise::graph

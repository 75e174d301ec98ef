#include "analyzer/lsp/settings.h"

#include <gtest/gtest.h>

#include "analyzer/lsp/workspace.h"

namespace kadvise::lsp {
namespace {

std::vector<std::string> warnings;

Settings read(const Json& json) {
  warnings.clear();
  return settingsFrom(json, [](const std::string& text) { warnings.push_back(text); });
}

TEST(Settings, AreReadNestedAndWithDots) {
  auto nested = read({{"run", "onSave"}, {"reports", {{"enable", false}}}, {"select", {"cuda"}}});
  EXPECT_FALSE(nested.lintsOnType);
  EXPECT_FALSE(nested.showsReports);
  EXPECT_EQ(nested.select, std::vector<std::string>{"cuda"});
  EXPECT_FALSE(read({{"reports.enable", false}}).showsReports);
  EXPECT_FALSE(read({{"codeAction", {{"disableRuleComment", {{"enable", false}}}}}}).offersIgnoring);
  EXPECT_TRUE(warnings.empty());
}

TEST(Settings, KeepTheirDefaultWhereAValueIsWrong) {
  auto s = read({{"run", "never"}, {"delay", "soon"}, {"select", {1, 2}}, {"headers", 7}, {"reports", "x"}});
  EXPECT_TRUE(s.lintsOnType);
  EXPECT_EQ(s.delayMs, 50);
  EXPECT_TRUE(s.select.empty());
  EXPECT_EQ(s.headers, "auto");
  EXPECT_TRUE(s.showsReports);
  EXPECT_EQ(warnings.size(), 4u);
  EXPECT_EQ(read({{"delay", 1e300}}).delayMs, 10000);
  EXPECT_EQ(read(nullptr).headers, "auto");
  EXPECT_EQ(read({{"arch", nullptr}}).arch, 0);
}

TEST(Workspace, TakesTheInnermostFolder) {
  Workspace w;
  w.add("file:///a"), w.add("file:///a/b/"), w.add("untitled:x");
  ASSERT_EQ(w.folders.size(), 2u);
  EXPECT_EQ(w.folderOf("/a/b/c.cu")->path, "/a/b");
  EXPECT_EQ(w.folderOf("/a/bc.cu")->path, "/a");
  EXPECT_EQ(w.folderOf("/ab/c.cu"), nullptr);
  EXPECT_EQ(w.baseOf("/ab/c.cu"), "/ab");
  w.remove("file:///a");
  EXPECT_EQ(w.folderOf("/a/x.cu"), nullptr);
}

}  // namespace
}  // namespace kadvise::lsp

#include "analyzer/core/configuration.h"

#include <gtest/gtest.h>

#include <string>

#include "analyzer/core/error.h"
#include "tests/analyzer/core/temporary_folder.h"

namespace kadvise {
namespace {

Configuration parsed(const std::string& text) { return parseConfiguration("p/kadvise.toml", text); }

struct Refused {
  const char *text, *where, *says;
};

void refuses(const Refused& r) {
  try {
    parsed(r.text);
    ADD_FAILURE() << "was accepted: " << r.text;
  } catch (const Error& e) {
    EXPECT_EQ(e.where, r.where) << r.text;
    EXPECT_NE(e.reason.find(r.says), std::string::npos) << e.reason;
  }
}

TEST(Configuration, ReadsEveryKey) {
  auto c = parsed(R"(select = ["fusion", "graph-break/host-read"]
ignore = ["fusion/conv-batch-norm"]
device = "cuda:1"
fail-on = "warning"
budget = 30
baseline = "known.json"

[per-path-ignores]
"legacy/**" = ["fusion"]

[severity]
graph-break = "error"
"fusion/add-layer-norm" = "off"

[[suppress]]
rule = "fusion/add-layer-norm"
where = "encoder.layers.*"
reason = "plain operators are wanted"

[[suppress]]
id = "0123"
reason = "known"
)");
  EXPECT_EQ(c.select, (std::vector<std::string>{"fusion", "graph-break/host-read"}));
  EXPECT_EQ(c.ignore, (std::vector<std::string>{"fusion/conv-batch-norm"}));
  EXPECT_EQ(c.device, "cuda:1");
  ASSERT_TRUE(c.failOn);
  EXPECT_EQ(c.failOn->severity, Severity::Warning);
  EXPECT_EQ(c.budgetSeconds, 30);
  EXPECT_EQ(c.baseline, "p/known.json");
  ASSERT_EQ(c.pathIgnores.size(), 1u);
  EXPECT_EQ(c.pathIgnores[0].glob, "legacy/**");
  EXPECT_EQ(c.pathIgnores[0].at, "p/kadvise.toml:9");
  ASSERT_EQ(c.suppressions.size(), 2u);
  EXPECT_EQ(c.suppressions[0].where, "encoder.layers.*");
  EXPECT_EQ(c.suppressions[0].at, "p/kadvise.toml:15");
  EXPECT_EQ(c.suppressions[1].id, "0123");
  EXPECT_EQ(c.named.front(), (std::pair<std::string, std::string>{"fusion", "p/kadvise.toml:1"}));
}

TEST(Configuration, AnEmptyFileSaysNothing) {
  auto c = parsed("# nothing\n");
  EXPECT_TRUE(c.select.empty() && c.ignore.empty() && !c.device && !c.failOn && !c.budgetSeconds &&
              c.baseline.empty());
}

TEST(Configuration, NeverAsAFailOnIsNotTheSameAsNone) {
  auto c = parsed("fail-on = \"never\"");
  ASSERT_TRUE(c.failOn);
  EXPECT_FALSE(c.failOn->severity);
}

TEST(Configuration, TheMoreSpecificSeverityCounts) {
  auto c = parsed("[severity]\n\"a/b\" = \"warning\"\na = \"off\"\n");
  EXPECT_EQ(severityOf(c, "a/b", Severity::Note), Severity::Warning);
  EXPECT_EQ(severityOf(c, "a/c", Severity::Note), std::nullopt);
  EXPECT_EQ(severityOf(c, "ab/c", Severity::Note), Severity::Note);
}

TEST(Configuration, RefusesWhatItDoesNotKnowByNameAndLine) {
  for (auto& r : std::initializer_list<Refused>{
           {"\nselct = []", "p/kadvise.toml:2", "unknown key \"selct\"; did you mean \"select\"?"},
           {"budgets = 3", "p/kadvise.toml:1", "did you mean \"budget\"?"},
           {"xyzzy = 3", "p/kadvise.toml:1", "the keys are select, ignore, exclude, device"},
           {"[[suppress]]\nid = \"1\"\nwhy = \"\"", "p/kadvise.toml:3",
            "unknown key \"why\" in [[suppress]]"},
           {"a = 1\na = 2", "p/kadvise.toml:2", "is not TOML"},
           {"select = [", "p/kadvise.toml:1", "is not TOML"},
           {"x = \"\xff\"", "p/kadvise.toml:1", "is not TOML"},
           {"[severity]\na = \"bad\"", "p/kadvise.toml:2", "note, opportunity, warning, error, off"},
           {"fail-on = \"off\"", "p/kadvise.toml:1", "never"},
           {"device = \"tpu\"", "p/kadvise.toml:1", "cuda:N"}})
    refuses(r);
}

TEST(Configuration, AllThatIsWrongIsToldAtOnce) {
  refuses({"selct = []\nbudget = 0", "p/kadvise.toml:1", "p/kadvise.toml:2: \"budget\" must be"});
}

TEST(Configuration, RefusesValuesOfTheWrongType) {
  for (auto& r : std::initializer_list<Refused>{
           {"select = \"fusion\"", "p/kadvise.toml:1", "\"select\" must be a list"},
           {"select = [\n1]", "p/kadvise.toml:2", "\"select\" must be a string"},
           {"device = 0", "p/kadvise.toml:1", "must be a string"},
           {"budget = \"30\"", "p/kadvise.toml:1", "must be a number"},
           {"budget = true", "p/kadvise.toml:1", "must be a number"},
           {"budget = 0", "p/kadvise.toml:1", "greater than 0"},
           {"budget = nan", "p/kadvise.toml:1", "greater than 0"},
           {"severity = 1", "p/kadvise.toml:1", "must be a table"},
           {"suppress = 1", "p/kadvise.toml:1", "must be a list of tables"},
           {"suppress = [1]", "p/kadvise.toml:1", "must be a list of tables"},
           {"[per-path-ignores]\n\"a\" = \"b\"", "p/kadvise.toml:2", "\"a\" must be a list"},
           {"baseline = \"\"", "p/kadvise.toml:1", "names no file"}})
    refuses(r);
}

TEST(Configuration, ASuppressionHasAReasonAndOneKindOfAim) {
  for (auto& r : std::initializer_list<Refused>{
           {"[[suppress]]\nid = \"1\"", "p/kadvise.toml:1", "needs a reason"},
           {"[[suppress]]\nid = \"1\"\nreason = \" \"", "p/kadvise.toml:1", "needs a reason"},
           {"[[suppress]]\nreason = \"r\"", "p/kadvise.toml:1", "either the id"},
           {"[[suppress]]\nrule = \"a\"\nreason = \"r\"", "p/kadvise.toml:1", "either the id"},
           {"[[suppress]]\nid = \"1\"\nrule = \"a\"\nwhere = \"*\"\nreason = \"r\"", "p/kadvise.toml:1",
            "either the id"}})
    refuses(r);
}

TEST(Configuration, NeverNamesWhatIsLoadedOrRun) {
  for (std::string key : {"rules", "op-library", "op-libraries", "engines", "plugins", "cache", "work-dir"})
    refuses({(key += " = \"x\"").c_str(), "p/kadvise.toml:1", "command line only"});
}

TEST(Configuration, TheNearestOneUpwardIsFoundAcrossAGitFolder) {
  test::TemporaryFolder folder;
  auto file = folder.write("kadvise.toml", "");
  folder.write("a/.git/HEAD", "");
  folder.write("a/b/c/x", "");
  EXPECT_EQ(findConfiguration(folder.path / "a/b/c"), file);
  auto nearer = folder.write("a/b/kadvise.toml", "");
  EXPECT_EQ(findConfiguration(folder.path / "a/b/c"), nearer);
}

TEST(Configuration, WhatIsNoFileIsRefused) {
  test::TemporaryFolder folder;
  std::filesystem::create_directory(folder.path / "kadvise.toml");
  EXPECT_THROW(readConfiguration(folder.path / "kadvise.toml"), Error);
  EXPECT_THROW(readConfiguration(folder.path / "nowhere.toml"), Error);
}

}  // namespace
}  // namespace kadvise

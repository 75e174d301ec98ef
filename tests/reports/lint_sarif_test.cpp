// GitHub's limits of a SARIF file, at which a small run never comes.
#include <gtest/gtest.h>

#include "reports/lint_formats.h"

namespace kadvise {
namespace {

LintReport manyFindings(int count) {
  LintReport out;
  LintedFile file;
  file.path = "k.cu";
  for (int i = 0; i < count; ++i) {
    Finding f;
    f.id = std::to_string(i), f.rule = "cuda/some-rule", f.message = "something";
    f.severity = i % 2 ? Severity::Error : Severity::Note;
    f.where.file = "k.cu", f.where.line = i + 1, f.where.column = 1;
    file.findings.push_back(f);
  }
  out.files.push_back(file);
  LintRule rule;
  rule.id = "cuda/some-rule", rule.title = "a title";
  for (int i = 0; i < 30; ++i) rule.tags.push_back("tag" + std::to_string(i));
  out.rules[rule.id] = rule;
  return out;
}

TEST(LintSarif, KeepsTheGravestOfTooManyResults) {
  Json run = Json::parse(lintSarif(manyFindings(30000))).at("runs").at(0);
  ASSERT_EQ(run.at("results").size(), 25000u);
  EXPECT_EQ(run.at("results").at(0).at("level"), "error");
  EXPECT_EQ(run.at("results").at(14999).at("level"), "error");
}

TEST(LintSarif, CutsTagsAndRelatedPlaces) {
  LintReport report = manyFindings(1);
  report.files[0].findings[0].related.resize(2000, report.files[0].findings[0].where);
  Json run = Json::parse(lintSarif(report)).at("runs").at(0);
  EXPECT_EQ(run.at("tool").at("driver").at("rules").at(0).at("properties").at("tags").size(), 10u);
  EXPECT_EQ(run.at("results").at(0).at("relatedLocations").size(), 1000u);
}

TEST(LintSarif, ColumnsAreLeftOutWhereBytesAreNotCharacters) {
  LintReport report = manyFindings(1);
  auto& where = report.files[0].findings[0].where;
  auto region = [&] {
    return Json::parse(lintSarif(report))
        .at("runs")
        .at(0)
        .at("results")
        .at(0)
        .at("locations")
        .at(0)
        .at("physicalLocation")
        .at("region");
  };
  where.snippet = "float x;";
  EXPECT_TRUE(region().contains("startColumn"));
  where.snippet = "float \u00e4;";
  EXPECT_FALSE(region().contains("startColumn"));
}

}  // namespace
}  // namespace kadvise

#include "analyzer/lint/whole_file.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

Finding at(const std::string& rule, int line, const std::string& id) {
  Finding out;
  out.rule = rule, out.id = id, out.where.line = line;
  out.fixes.push_back({"fix " + id, Safety::Safe, {}});
  return out;
}

TEST(WholeFile, WhatAFileDoesEverywhereIsOneFindingWithAllItsPlacesAndFixes) {
  RulePage wide, narrow;
  wide.id = "a/wide", wide.tags = {"whole-file"};
  narrow.id = "a/narrow";
  std::vector<LintedFile> files(2);
  files[0].findings = {at("a/wide", 1, "first"), at("a/narrow", 2, "x"), at("a/wide", 3, "second"),
                       at("a/narrow", 4, "y")};
  files[0].findings[2].related.resize(1);
  files[0].findings[2].related[0].line = 5;
  files[1].findings = {at("a/wide", 1, "other")};
  foldWholeFiles({&wide, &narrow}, files);
  ASSERT_EQ(files[0].findings.size(), 3u);
  auto& whole = files[0].findings[0];
  EXPECT_EQ(whole.id, "first");
  ASSERT_EQ(whole.related.size(), 2u);
  EXPECT_EQ(whole.related[0].line, 3);
  EXPECT_EQ(whole.related[0].note, "and here");
  EXPECT_EQ(whole.related[1].line, 5);
  EXPECT_EQ(whole.fixes.size(), 2u);
  EXPECT_EQ(files[1].findings.size(), 1u);
}

}  // namespace
}  // namespace kadvise

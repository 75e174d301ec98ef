#include "analyzer/core/rule_page.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"

namespace kadvise {
namespace {

const std::string kHeader = R"({"id": "fusion/x", "title": "t", "severity": "warning", "dtypes": ["float32"],
  "cases": [{"x": "float[2,3]", "w": "weight float[3]>0", "eps": 1e-5, "b": null}]})";
const std::string kProse =
    "\n## What it finds\na\n## Why it costs\nb\n## What to write instead\nc\n## Limits\nd\n## "
    "References\ne\n";
const std::string kCode =
    "```python match\ndef p(x):\n    return x\n```\n```python replace {level=3 exactness=reassociates "
    "domain=\"a b\"}\n"
    "def r(x, w, eps, b):\n    return x\n```\n";
const std::string kExamples =
    "### yes\n```python fires\ndef f(x):\n    return x\n```\n### no\n```python silent\ndef f(x):\n    return "
    "x\n```\n";

std::string page(const std::string& header = kHeader, const std::string& code = kCode,
                 const std::string& examples = kExamples, const std::string& prose = kProse) {
  return "# T\n\n```json rule\n" + header + "\n```\n" + prose + code + examples;
}

std::string errorOf(const std::string& text) {
  try {
    parseRulePage("r/x.md", text);
  } catch (const Error& e) {
    return e.what();
  }
  return "";
}

TEST(RulePage, IsReadWhole) {
  auto p = parseRulePage("r/x.md", page());
  EXPECT_EQ(p.id, "fusion/x");
  EXPECT_EQ(p.severity, Severity::Warning);
  EXPECT_EQ(p.sections.at("Limits"), "d");
  ASSERT_EQ(p.cases.size(), 1u);
  ASSERT_EQ(p.cases[0].size(), 4u);
  EXPECT_EQ(p.cases[0][0].name, "x") << "cases keep the order of the page";
  EXPECT_TRUE(p.cases[0][1].tensor->weight);
  EXPECT_EQ(p.cases[0][3].literal, "null");
  ASSERT_EQ(p.with("fires").size(), 1u);
  EXPECT_EQ(p.with("fires")[0]->heading, "yes");
  auto info = replacementInfo(p, *p.with("replace")[0]);
  EXPECT_EQ(info.level, 3);
  EXPECT_EQ(info.exactness, Exactness::Reassociates);
  EXPECT_EQ(info.domain, "a b");
}

TEST(RulePage, WhatIsMissingIsToldTogether) {
  auto error = errorOf(page(kHeader, "", "", "\n## What it finds\na\n"));
  for (auto* what : {"\"Why it costs\"", "\"References\"", "no `fires`", "no `silent`", "can find nothing"})
    EXPECT_NE(error.find(what), std::string::npos) << error;
}

TEST(RulePage, AHeaderThatIsNestedWithoutEndIsRefused) {
  std::string deep = std::string(100'000, '[') + std::string(100'000, ']');
  EXPECT_EQ(errorOf(page("{\"cases\": [{\"x\": " + deep + "}]}")),
            "r/x.md:4: the rule header is nested too deeply");
}

TEST(RulePage, LineNumbersOfFencesAreThoseOfTheFile) {
  auto text = page();
  auto p = parseRulePage("r/x.md", text);
  auto* match = p.with("match")[0];
  int line = 1 + static_cast<int>(
                     std::count(text.begin(), text.begin() + static_cast<long>(text.find("def p")), '\n'));
  EXPECT_EQ(match->line, line);
}

TEST(RulePage, AcceptsWindowsLineEnds) {
  std::string text;
  for (char c : page()) text += c == '\n' ? std::string("\r\n") : std::string(1, c);
  EXPECT_EQ(parseRulePage("r/x.md", text).with("match")[0]->text, "def p(x):\n    return x\n");
}

struct Bad {
  const char* name;
  std::string text, error;
};
class BadPage : public testing::TestWithParam<Bad> {};

TEST_P(BadPage, SaysWhereAndWhat) {
  auto message = errorOf(GetParam().text);
  EXPECT_EQ(message.rfind("r/x.md:", 0), 0u) << message;
  EXPECT_NE(message.find(GetParam().error), std::string::npos) << message;
}

INSTANTIATE_TEST_SUITE_P(
    Errors, BadPage,
    testing::Values(
        Bad{"no_header", "# T\n" + kProse + kCode + kExamples, "exactly one `json rule`"},
        Bad{"huge_number", page("{\"id\": 1e99999}"), "number overflow"},
        Bad{"json", page("{\"id\": 1,,}"), "is not JSON"},
        Bad{"missing_key", page("{\"id\": \"a/b\"}"), "title"},
        Bad{"unknown_key", page("{\"id\": \"a/b\", \"color\": 1}"), "unknown key \"color\""},
        Bad{"unknown_device", page(R"({"id": "a/b", "title": "t", "severity": "note", "devices": ["tpu"]})"),
            "not \"tpu\""},
        Bad{"severity", page(R"({"id": "a/b", "title": "t", "severity": "loud"})"),
            "\"loud\" is not one of note"},
        Bad{"case", page(R"({"id": "a/b", "title": "t", "severity": "note", "cases": [{"x": "floot[2]"}]})"),
            "is not a dtype"},
        Bad{"case_name",
            page(
                R"({"id": "a/b", "title": "t", "severity": "note", "dtypes": ["float32"], "cases": [{"ep": 1}]})"),
            "a case gives \"ep\", which no pattern or example of this page takes"},
        Bad{"fence", page(kHeader, "```python mach\n```\n"), "unknown fence \"python mach\""},
        Bad{"open", page() + "```python fires\ndef", "never closed"},
        Bad{"attribute", page(kHeader, "```python match\nd\n```\n```python replace {colour=1}\nd\n```\n"),
            "unknown attribute \"colour\""},
        Bad{"level", page(kHeader, "```python match\nd\n```\n```python replace {level=9}\nd\n```\n"),
            "1 to 5"},
        Bad{"braces", page(kHeader, "```python match\nd\n```\n```python replace level=1\nd\n```\n"),
            "{braces}"},
        Bad{"no_match", page(kHeader, ""), "can find nothing"},
        Bad{"order", page(kHeader, "```python replace {level=1}\nd\n```\n```python match\nd\n```\n"),
            "stands after"},
        Bad{"no_fires", page(kHeader, kCode, "### no\n```python silent\nd\n```\n"), "no `fires`"},
        Bad{"no_silent", page(kHeader, kCode, "### yes\n```python fires\nd\n```\n"), "no `silent`"},
        Bad{"twice", page(kHeader, kCode, kExamples + "### yes\n```python fires\nd\n```\n"), "two examples"},
        Bad{"section", page(kHeader, kCode, kExamples, "\n## What it finds\na\n"),
            "section \"Why it costs\""},
        Bad{"no_cases", page(R"({"id": "a/b", "title": "t", "severity": "note"})"), "cannot be proven"}),
    [](const auto& info) { return info.param.name; });

TEST(RulePage, JsonErrorsNameTheLineInsideTheHeader) {
  auto message = errorOf(page("{\"id\": \"a/b\",\n\"title\": oops}"));
  EXPECT_EQ(message.rfind("r/x.md:5:", 0), 0u) << message;
}

}  // namespace
}  // namespace kadvise

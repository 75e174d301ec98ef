// Formulas of pages, over the ways in which C++ can spell what they say.
#include "analyzer/source/formula.h"

#include <gtest/gtest.h>

#include "analyzer/core/error.h"
#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

constexpr const char* kSilu = "fusion/silu-written-out";

std::size_t found(const std::string& body, const char* rule = kSilu) {
  return linted("#include <torch/extension.h>\nat::Tensor f(at::Tensor x, at::Tensor y, bool c) {\n" + body +
                    "\n}\n",
                {rule}, "test.cpp")
      .findings.size();
}

std::vector<FormulaPtr> parsed(const std::string& text) {
  RulePage page;
  page.path = "page.md";
  Fence fence;
  fence.text = text;
  fence.line = 7;
  return parseFormulas(page, fence);
}

TEST(Formula, ReadsProductsBeforeSumsAndNamesForWhatTheyStandFor) {
  auto f = parsed("let half = 0.5 * x\n\nhalf + y / s:number\n-x * (y | 2)\n");
  ASSERT_EQ(f.size(), 2u);
  EXPECT_EQ(f[0]->name, "add");
  EXPECT_EQ(f[0]->parts.at(0)->name, "mul");
  EXPECT_EQ(f[0]->parts.at(1)->parts.at(1)->kind, Formula::Kind::Number);
  EXPECT_EQ(f[1]->parts.at(0)->name, "neg");
  EXPECT_EQ(f[1]->parts.at(1)->kind, Formula::Kind::Either);
}

TEST(Formula, WhatIsNoneIsRefusedWithItsLine) {
  for (auto* text : {"x *", "f(x", "f()", "x y", "let a", "x:string + y", ")", "x", "3"}) {
    try {
      parsed(text);
      ADD_FAILURE() << text;
    } catch (const Error& e) {
      EXPECT_NE(std::string(e.what()).find("page.md:7"), std::string::npos) << e.what();
    }
  }
  EXPECT_THROW(parsed(std::string(100000, '(')), Error);
  EXPECT_THROW(parsed(std::string(100000, '-')), Error);
}

TEST(Formula, AVariableIsItsValueUntilItIsAssigned) {
  EXPECT_EQ(found("auto s = x.sigmoid(); return s * x;"), 1u);
  EXPECT_EQ(found("auto s = x.sigmoid(); x = y; return s * x;"), 0u);
  EXPECT_EQ(found("auto s = x.sigmoid(); x.add_(1); return s * x;"), 0u);
  EXPECT_EQ(found("auto s = x.sigmoid(); if (c) x = y; return s * x;"), 0u);
  EXPECT_EQ(found("auto v = x.view({-1}); auto s = x.sigmoid(); v.zero_(); return s * x;"), 0u);
}

TEST(Formula, AStepThatSomebodyElseUsesIsNoStep) {
  EXPECT_EQ(found("auto s = x.sigmoid(); y = s + 1; return s * x;"), 0u);
  EXPECT_EQ(found("auto s = x.sigmoid(); for (int i = 0; i < 3; ++i) y = y + s * x; return y;"), 0u);
  EXPECT_EQ(found("auto s = x.sigmoid(); auto* p = s.data_ptr<float>(); p[0] = 1; return s * x;"), 0u);
}

TEST(Formula, SumsAndProductsHaveNoOrder) {
  const char* gelu = "fusion/gelu-written-out";
  EXPECT_EQ(found("return (torch::erf(x * 0.70710678) + 1) * (x * 0.5);", gelu), 1u);
  EXPECT_EQ(found("auto h = 0.5 * x; return h * (1 + torch::erf(x / 1.4142135));", gelu), 1u);
  EXPECT_EQ(found("return x * 0.5 * (1 + torch::erf(y / 1.4142135));", gelu), 0u);
}

TEST(Formula, BodiesThatCannotBeReadDoNotHurt) {
  EXPECT_EQ(found("x = undeclared(x) * ; return x.sigmoid() * x;"), 1u);
  std::string deep = "return x";
  for (int i = 0; i < 2000; ++i) deep += " * x";
  found(deep + ";");
}

}  // namespace
}  // namespace kadvise::source

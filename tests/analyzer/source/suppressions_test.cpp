// Comments that keep findings out.
#include <gtest/gtest.h>

#include "tests/analyzer/source/linted.h"

namespace kadvise::source {
namespace {

const char* const kTooLarge = "cuda/block-too-large";

TEST(Suppressions, ACommentOnTheLineOrAboveItSuppresses) {
  auto r = linted(R"(__global__ void k() {}
void a() { k<<<1, 2048>>>(); }  // kadvise: ignore[cuda/block-too-large] measured
void b() {
  // kadvise: ignore[cuda]
  k<<<1, 2048>>>();
  k<<<1, 2048>>>();  // NOLINT
  // NOLINTNEXTLINE(cuda/block-too-large)
  k<<<1, 2048>>>();
  const char* text = "// kadvise: ignore";
  k<<<1, 2048>>>();
}
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 10);
  EXPECT_EQ(r.suppressed, 4);
  EXPECT_TRUE(r.unusedSuppressions.empty());
}

TEST(Suppressions, ACommentBeforeCodeOnItsLineIsAboutThatCode) {
  auto r = linted(R"(__global__ void k() {}
void a() {
  /* kadvise: ignore[cuda/block-too-large] */ k<<<1, 2048>>>();
}
void b() { k<<<1, 2048>>>(); }
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 5);
  EXPECT_TRUE(r.unusedSuppressions.empty());
}

TEST(Suppressions, ACommentThatSuppressesNothingIsSaid) {
  auto r = linted(R"(__global__ void k() {}
void a() { k<<<1, 32>>>(); }  // kadvise: ignore[cuda/block-too-large]
void b() { k<<<1, 32>>>(); }  // kadvise: ignore[cuda/of-another-run]
void c() { k<<<1, 32>>>(); }  // NOLINT
void d() { k<<<1, 32>>>(); }  // NOLINT(build/include)
)",
                  {kTooLarge});
  ASSERT_EQ(r.unusedSuppressions.size(), 2u);
  EXPECT_EQ(r.unusedSuppressions[0].line, 2);
  EXPECT_TRUE(r.unusedSuppressions[0].ran);
  EXPECT_EQ(r.unusedSuppressions[1].selector, "cuda/of-another-run");
  EXPECT_FALSE(r.unusedSuppressions[1].ran);
}

TEST(Suppressions, ThatIsNotSaidWhereACommentNamesIt) {
  auto r = linted(R"(__global__ void k() {}
void a() { k<<<1, 32>>>(); }  // kadvise: ignore[cuda/block-too-large, lint/unused-suppression]
// kadvise: ignore[lint/unused-suppression] for the sm_70 build
void b() { k<<<1, 32>>>(); }  // NOLINT(cuda/block-too-large)
void c() { k<<<1, 32>>>(); }  // kadvise: ignore[cuda/block-too-large]
// NOLINTBEGIN(kadvise-lint/unused-suppression)
void d() { k<<<1, 32>>>(); }  // kadvise: ignore
// NOLINTEND(kadvise-lint/unused-suppression)
)",
                  {kTooLarge});
  ASSERT_EQ(r.unusedSuppressions.size(), 1u);
  EXPECT_EQ(r.unusedSuppressions[0].line, 5);
  auto file = linted(R"(// kadvise: ignore-file[lint]
__global__ void k() {}
void a() { k<<<1, 32>>>(); }  // kadvise: ignore[cuda/block-too-large]
)",
                     {kTooLarge});
  EXPECT_TRUE(file.unusedSuppressions.empty());
}

TEST(Suppressions, ABlockEndsWhereTheSameNamesEndIt) {
  auto r = linted(R"(__global__ void k() {}
// NOLINTBEGIN(cuda/block-too-large)
// NOLINTBEGIN(bugprone-foo)
void a() { k<<<1, 2048>>>(); }
// NOLINTEND(bugprone-foo)
void b() { k<<<1, 2048>>>(); }
// NOLINTEND(cuda/block-too-large)
void c() { k<<<1, 2048>>>(); }
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 8);
  EXPECT_TRUE(r.unusedSuppressions.empty());
}

TEST(Suppressions, ABlockWithoutEndHidesNothingAndIsSaid) {
  auto r = linted(R"(__global__ void k() {}
// NOLINTBEGIN
void a() { k<<<1, 2048>>>(); }
)",
                  {kTooLarge});
  EXPECT_EQ(r.findings.size(), 1u);
  ASSERT_EQ(r.unusedSuppressions.size(), 1u);
  EXPECT_TRUE(r.unusedSuppressions[0].isUnclosed);
}

TEST(Suppressions, NamesOfRulesStandBehindSpacesAndWithoutBrackets) {
  auto r = linted(R"(__global__ void k() {}
void a() { k<<<1, 2048>>>(); }  // kadvise: ignore[cuda/bank-conflict cuda/block-too-large]
void b() { k<<<1, 2048>>>(); }  // kadvise: ignore cuda/block-too-large: measured
void c() { k<<<1, 2048>>>(); }  // kadvise: ignore cuda/bank-conflict
)",
                  {kTooLarge});
  ASSERT_EQ(r.findings.size(), 1u);
  EXPECT_EQ(r.findings[0].where.line, 4);
}

}  // namespace
}  // namespace kadvise::source

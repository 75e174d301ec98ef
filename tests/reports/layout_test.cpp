// Widths, figures and names as the text shows them.
#include "reports/layout.h"

#include <gtest/gtest.h>

namespace kadvise {
namespace {

TEST(Layout, CountsCharactersNotBytes) {
  EXPECT_EQ(columns("1.39–1.45 µs"), 12u);
  EXPECT_EQ(firstColumns("1.39–1.45 µs", 12), "1.39–1.45 µs");
  EXPECT_EQ(firstColumns("1.39–1.45 µs", 6), "1.39–…");
}

TEST(Layout, FormatsWithThreeDigits) {
  EXPECT_EQ(formatUs(0.5), "0.5 µs");
  EXPECT_EQ(formatUs(411.7), "412 µs");
  EXPECT_EQ(formatUs(1449), "1.45 ms");
  EXPECT_EQ(formatUs(123456), "123 ms");
  EXPECT_EQ(formatUs(2.5e6), "2.5 s");
  EXPECT_EQ(formatBytes(437928960), "418 MiB");
  EXPECT_EQ(formatBytes(12), "12 B");
  EXPECT_EQ(formatCount(109482240), "109.5 M");
}

TEST(Layout, WritesNoCommandsOfRunners) {
  Layout layout(80, false);
  layout.paragraph("::warning file=a.py::planted", 2);
  layout.verbatim("x\n  ::error::planted\n::cudaFree(p);", 4);
  layout.paragraph("a ##[group]planted", 0);
  EXPECT_EQ(layout.text(),
            "  : :warning file=a.py::planted\n    x\n      : :error::planted\n    ::cudaFree(p);\na ## "
            "[group]planted\n");
}

TEST(Layout, TakesControlCharactersOut) { EXPECT_EQ(printable("a\x1b[31m\nb"), "a [31m b"); }

}  // namespace
}  // namespace kadvise

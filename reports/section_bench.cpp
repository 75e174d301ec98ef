#include <fmt/format.h>

#include <algorithm>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr double kAboveCopy = 1.0005;  // what is shown as more than 100.0 %

std::string rateWords(double bytesPerSecond) { return fmt::format("{:.3g} GB/s", bytesPerSecond / 1e9); }

void writeRow(TextPage& page, const BenchRow& row) {
  if (!row.refused.empty()) {
    page.layout.paragraph(fmt::format("not measured: {}: {}", row.inputs, row.refused), 2, kIndent,
                          Ink::Fair);
    return;
  }
  page.layout.paragraph(fmt::format("{:>9} ({}–{})  {:>11}  {:>5.1f} % of a copy  {}", formatUs(row.us.mid),
                                    formatUs(row.us.low), formatUs(row.us.high),
                                    rateWords(row.bytesPerSecond), 100 * row.shareOfCopy, row.inputs),
                        2, kIndent);
}

}  // namespace

void writeBench(TextPage& page) {
  const Report& r = page.report;
  const Bench& b = *r.bench;
  Layout& out = page.layout;
  out.paragraph(fmt::format("{} {}  {} on {}", r.tool.name, r.tool.version, b.op, deviceWords(r)), 0, 2,
                Ink::Dim);
  out.blank();
  if (b.copyBytesPerSecond > 0)
    out.paragraph(fmt::format("a copy of {} in the same run moves {} (what is read and what is written)",
                              formatBytes(b.copyBytes), rateWords(b.copyBytesPerSecond)),
                  2, kIndent);
  for (auto& row : b.rows) writeRow(page, row);
  if (std::any_of(b.rows.begin(), b.rows.end(), [](auto& row) { return row.shareOfCopy > kAboveCopy; }))
    out.paragraph(
        "above 100 % of a copy: the operands fit in the cache, or the machine was busy while the copy was "
        "timed",
        2, kIndent);
  for (auto& n : b.notes) out.paragraph("note: " + n, 2, kIndent);
  writeErrors(page);
}

}  // namespace kadvise

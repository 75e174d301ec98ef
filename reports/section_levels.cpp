#include <fmt/format.h>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

std::string timeWords(const LevelRow& row) {
  const Verdict& v = row.verdict;
  if (row.level == 0) return "the measure of the others";
  if (auto speedup = speedupWords(v.speedup); !speedup.empty())
    return fmt::format("{}, {}", speedup, word(v.outcome));
  return word(v.outcome);
}

void writeRow(TextPage& page, const LevelRow& row) {
  Layout& out = page.layout;
  const Verdict& v = row.verdict;
  const Measurement& m = v.after;
  out.paragraph(fmt::format("{}  {}", row.level, row.name), 2, 5, Ink::Bold);
  std::string figures = timeWords(row);
  if (row.level > 0) figures += "; " + (outputsEqual(v) ? equalityWords(v) : "outputs: " + v.reason);
  if (m.peakBytes > 0) figures += "; peak memory " + formatBytes(static_cast<double>(m.peakBytes));
  if (m.firstCallMs > 0) figures += "; first call " + formatUs(1000 * m.firstCallMs);
  out.paragraph(figures, 5, 7);
  for (auto& n : row.notes) out.paragraph("note: " + n, 5, 7);
}

}  // namespace

void writeLevels(TextPage& page) {
  const Report& r = page.report;
  page.layout.paragraph(
      fmt::format("{} {}  {} on {}", r.tool.name, r.tool.version, r.subject.path, deviceWords(r)), 0, 2,
      Ink::Dim);
  page.layout.blank();
  for (auto& row : *r.levels) writeRow(page, row);
  auto caveat = deviceCaveat(r);
  if (!caveat.empty()) page.layout.paragraph(caveat, 2, kIndent, Ink::Dim);
  for (auto& n : r.notes) page.layout.paragraph("note: " + n, 2, kIndent);
  writeErrors(page);
}

}  // namespace kadvise

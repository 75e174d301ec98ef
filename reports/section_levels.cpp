#include <fmt/format.h>

#include <cmath>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// "1.51 ms", the median of what was timed; "-" where nothing was.
std::string timeWords(const Measurement& m) {
  double us = medianWallUs(m);
  return us > 0 ? formatUs(us) : "-";
}

// Both sides of a comparison come from one campaign: figures of different rows do not compare.
std::string timesWords(const LevelRow& row) {
  auto after = timeWords(row.verdict.after);
  if (row.level == 0 || after == "-") return after;
  return timeWords(row.verdict.before) + " → " + after;
}

std::string factorWords(const Report& r, const LevelRow& row) {
  const Interval& s = row.verdict.speedup;
  if (row.level == 0) return "1";
  if (!std::isfinite(s.mid) || s.mid <= 0 || !isCredible(r, s)) return "-";
  return fmt::format("{:.2f}x ({:.2f}–{:.2f})", s.mid, s.low, s.high);
}

std::string outputWords(const LevelRow& row) {
  const Verdict& v = row.verdict;
  if (row.level == 0) return "";
  if (outputsEqual(v)) return "equal (" + v.accuracy.grade + ")";
  return v.outcome == Outcome::WrongOutput ? "DIFFERENT" : "-";
}

std::string padded(const std::string& text, std::size_t width, bool isRight = false) {
  std::string space(width > columns(text) ? width - columns(text) : 0, ' ');
  return isRight ? space + text : text + space;
}

std::string lineOf(const std::string& level, const std::string& time, const std::string& factor,
                   const std::string& memory, const std::string& first, const std::string& outputs) {
  return padded(level, 7) + padded(time, 21) + "  " + padded(factor, 18) + padded(memory, 10, true) +
         padded(first, 11, true) + "  " + outputs;
}

// Why the row has no figure, or a doubtful one.
std::string doubtOf(const LevelRow& row) {
  const Verdict& v = row.verdict;
  bool isExplained = row.level > 0 && (!outputsEqual(v) || v.outcome == Outcome::Ambiguous);
  return isExplained && !v.reason.empty() ? std::string(word(v.outcome)) + ": " + v.reason : "";
}

void writeRow(TextPage& page, const LevelRow& row) {
  LevelCells cells = levelCells(page.report, row);
  auto text = lineOf(std::to_string(row.level), cells.time, cells.factor, cells.memory, cells.firstCall,
                     cells.outputs);
  page.layout.paragraph(row.name, 2, kIndent, Ink::Bold);
  page.layout.verbatim(text, kIndent);
  if (!cells.doubt.empty()) page.layout.paragraph(cells.doubt, kIndent, kIndent + 2, Ink::Fair);
  for (auto& n : row.notes) page.layout.paragraph("note: " + n, kIndent, kIndent + 2);
}

}  // namespace

LevelCells levelCells(const Report& r, const LevelRow& row) {
  const Measurement& m = row.verdict.after;
  return {timesWords(row),
          factorWords(r, row),
          m.peakBytes ? formatBytes(static_cast<double>(m.peakBytes)) : "-",
          m.firstCallMs > 0 ? formatUs(1000 * m.firstCallMs) : "-",
          outputWords(row),
          doubtOf(row)};
}

void writeLevels(TextPage& page) {
  const Report& r = page.report;
  page.layout.paragraph(
      fmt::format("{} {}  {} on {}", r.tool.name, r.tool.version, r.subject.path, deviceWords(r)), 0, 2,
      Ink::Dim);
  page.layout.blank();
  if (!r.levels->empty())
    page.layout.verbatim(lineOf("level", "a call", "faster", "peak", "first call", "outputs"), kIndent);
  for (auto& row : *r.levels) writeRow(page, row);
  auto caveat = deviceCaveat(r);
  if (!caveat.empty()) page.layout.paragraph(caveat, 2, kIndent, Ink::Dim);
  for (auto& n : r.notes) page.layout.paragraph("note: " + n, 2, kIndent);
  writeErrors(page);
}

}  // namespace kadvise

// The estimate by module, and memory at its peak. From shapes alone: every line of it says so or stands below
// one that does.
#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/sections.h"

namespace kadvise {
namespace {

constexpr std::size_t kFewModules = 3, kManyModules = 15, kFewTensors = 3;

// Equal layers together: "encoder.layer.*.intermediate", 12 of them.
struct Row {
  std::string path, className;
  int modules = 0;
  double us = 0;
};

std::vector<Row> rowsOf(const std::vector<ModuleCost>& modules) {
  std::vector<Row> rows;
  std::map<std::string, std::size_t> known;
  for (auto& m : modules) {
    if (m.ownUs <= 0) continue;
    auto path = withoutNumbers(m.path);
    auto [at, fresh] = known.emplace(path, rows.size());
    if (fresh) rows.push_back({path, m.className, 0, 0});
    ++rows[at->second].modules;
    rows[at->second].us += m.ownUs;
  }
  std::stable_sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) { return a.us > b.us; });
  return rows;
}

std::string nameOf(const Row& row) {
  std::string out = row.path.empty() ? "the module itself" : row.path;
  return row.modules > 1 ? fmt::format("{} ({}x)", out, row.modules) : out;
}

double shareOf(const Row& row, const WholeEstimate& whole) {
  return whole.estimatedUs > 0 ? 100 * row.us / whole.estimatedUs : 0;
}

void writeTable(TextPage& page, const std::vector<Row>& rows, const WholeEstimate& whole) {
  for (std::size_t i = 0; i < std::min(rows.size(), kManyModules); ++i) {
    auto& row = rows[i];
    std::string className = row.className.empty() ? "" : "  " + row.className;
    auto text =
        fmt::format("{:>5.1f} %  {:>9}  {}{}", shareOf(row, whole), formatUs(row.us), nameOf(row), className);
    page.layout.verbatim(firstColumns(text, static_cast<std::size_t>(page.layout.width() - 2)), 2);
  }
  if (rows.size() > kManyModules)
    page.layout.paragraph(
        fmt::format("… and {} more (modules of the JSON report)", rows.size() - kManyModules), 2);
}

std::string mostWords(const std::vector<Row>& rows, const WholeEstimate& whole) {
  std::string out;
  for (std::size_t i = 0; i < std::min(rows.size(), kFewModules); ++i)
    out += fmt::format("{}{:.0f} % in {}", out.empty() ? "" : ", ", shareOf(rows[i], whole), nameOf(rows[i]));
  return out;
}

// "22.35 GFLOP", "120 FLOP"
std::string flopWords(double flops) {
  std::string count = formatCount(flops);
  return count + (count.back() >= '0' && count.back() <= '9' ? " FLOP" : "FLOP");
}

std::string wholeWords(const WholeEstimate& e) {
  std::string out =
      fmt::format("as loaded at best {} a call: {}, {} moved, {} started one by one", formatUs(e.estimatedUs),
                  flopWords(e.flops), formatBytes(e.bytesRead + e.bytesWritten),
                  plural(static_cast<std::size_t>(e.kernels), "kernel"));
  return e.reason.empty() ? out : out + " (" + e.gpu + ": " + e.reason + ")";
}

std::string gapWords(const WholeEstimate& e) {
  std::string out;
  for (auto& op : e.withoutFormula) out += fmt::format("{}{} ({})", out.empty() ? "" : ", ", op.op, op.nodes);
  if (!out.empty()) out = "without a formula, counted by their operands: " + out;
  if (e.loopsOfUnknownLength)
    out += fmt::format("{}{} of unknown length, counted as one turn", out.empty() ? "" : "; ",
                       plural(static_cast<std::size_t>(e.loopsOfUnknownLength), "loop"));
  return out;
}

std::string peakWords(const PeakMemory& m) {
  std::string at = m.where.scope.empty() && m.where.file.empty() ? m.op : siteWords(m.where, 1);
  std::string out = fmt::format("peak activations {} at {}", formatBytes(m.peakBytes), at);
  std::string largest;
  for (std::size_t i = 0; i < std::min(m.largest.size(), kFewTensors); ++i) {
    auto& t = m.largest[i];
    std::string place = t.where.scope.empty() && t.where.file.empty() ? "" : " at " + siteWords(t.where, 1);
    largest += fmt::format("{}{} {} of {}{}", largest.empty() ? "" : ", ", formatBytes(t.bytes), t.type, t.op,
                           place);
  }
  if (!largest.empty()) out += "; largest: " + largest;
  return out + fmt::format("; beside them parameters {} and inputs {}", formatBytes(m.parameterBytes),
                           formatBytes(m.inputBytes));
}

}  // namespace

std::string withoutNumbers(const std::string& path) {
  std::string out, part;
  for (char c : path + ".") {
    if (c != '.') {
      part += c;
      continue;
    }
    bool number = !part.empty() && part.find_first_not_of("0123456789") == std::string::npos;
    out += (out.empty() ? "" : ".") + (number ? "*" : part);
    part.clear();
  }
  return out;
}

void writeCost(TextPage& page) {
  const Report& r = page.report;
  if (!r.estimate) return;
  page.layout.heading("Where the time goes (estimate for " + r.estimate->gpu + ")");
  page.layout.paragraph(wholeWords(*r.estimate), 2, kIndent);
  auto rows = rowsOf(r.modules);
  if (page.style.verbose) writeTable(page, rows, *r.estimate);
  else if (!rows.empty()) page.layout.paragraph(mostWords(rows, *r.estimate), 2, kIndent);
  if (auto gaps = gapWords(*r.estimate); !gaps.empty()) page.layout.paragraph(gaps, 2, kIndent);
  if (r.memory && r.memory->peakBytes > 0) page.layout.paragraph(peakWords(*r.memory), 2, kIndent);
}

}  // namespace kadvise

#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "reports/baseline.h"

namespace kadvise {
namespace {

constexpr std::size_t kShortList = 10;  // rows of a list that is not verbose

struct RefusedRow {
  const Refusal* first;
  std::size_t sites;
};

// Equal layers are refused for equal reasons: one row, with how many.
std::vector<RefusedRow> grouped(const std::vector<Refusal>& refused) {
  std::vector<RefusedRow> rows;
  std::map<std::string, std::size_t> known;
  for (auto& r : refused) {
    auto key = fmt::format("{}\n{}:{}\n{}", r.rule, r.where.file, r.where.line, r.mismatch.reason);
    auto [it, added] = known.emplace(key, rows.size());
    if (added) rows.push_back({&r, 0});
    ++rows[it->second].sites;
  }
  return rows;
}

struct FoundRow {
  const Finding* first;
  std::size_t sites;
};

// Equal layers have equal findings: one row, with how many.
std::vector<FoundRow> grouped(const std::vector<const Finding*>& findings) {
  std::vector<FoundRow> rows;
  std::map<std::string, std::size_t> known;
  for (auto* f : findings) {
    auto key = fmt::format("{}\n{}:{}\n{}", f->rule, f->where.file, f->where.line, f->message);
    auto [it, added] = known.emplace(key, rows.size());
    if (added) rows.push_back({f, 0});
    rows[it->second].sites += 1 + f->related.size();
  }
  return rows;
}

}  // namespace

std::size_t TextPage::shown(std::size_t rows) const {
  return style.verbose ? rows : std::min(rows, kShortList);
}

void TextPage::writeRest(std::size_t rows) {
  if (rows > shown(rows))
    layout.paragraph(fmt::format("… and {} more (--verbose lists all)", rows - shown(rows)), kIndent);
}

void TextPage::writeSnippet(const Location& where) {
  if (where.snippet.empty()) return;
  layout.verbatim("> " + firstColumns(where.snippet, static_cast<std::size_t>(layout.width() - kIndent - 2)),
                  kIndent);
}

std::string plural(std::size_t n, const std::string& noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

std::string knownMark(const Report& report, const std::string& finding) {
  return isKnown(report, finding) ? " (known)" : "";
}

std::string siteWords(const Location& where, std::size_t sites) {
  std::string out =
      where.file.empty() ? "" : where.file + (where.line ? ":" + std::to_string(where.line) : "");
  if (!where.scope.empty()) out += (out.empty() ? "" : " in ") + where.scope;
  if (out.empty()) out = "place unknown (the file keeps no source lines)";
  if (sites > 1) out += fmt::format(", and {} alike", plural(sites - 1, "site"));
  return out;
}

void writeUnproposed(TextPage& page) {
  auto rows = grouped(unproposedFindings(page.report));
  if (rows.empty()) return;
  page.layout.heading("Also found, to change by hand");
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Finding& f = *rows[i].first;
    page.layout.paragraph(
        fmt::format("- {}: {}  [{}]{}", word(f.severity), f.message, f.rule, knownMark(page.report, f.id)), 2,
        kIndent);
    page.layout.paragraph(siteWords(f.where, rows[i].sites), kIndent);
    page.writeSnippet(f.where);
    if (auto estimate = estimateWords(&f, rows[i].sites); !estimate.empty()) page.layout.paragraph(estimate, kIndent);
  }
  page.writeRest(rows.size());
}

// One row for each line of kadvise.toml, with its reason.
void writeSuppressed(TextPage& page) {
  std::vector<std::pair<const Suppressed*, std::size_t>> rows;
  for (auto& s : page.report.suppressed) {
    auto row = std::find_if(rows.begin(), rows.end(), [&](auto& r) { return r.first->by == s.by; });
    if (row != rows.end()) ++row->second;
    else rows.emplace_back(&s, 1);
  }
  if (rows.empty()) return;
  page.layout.heading("Suppressed by " + page.report.configuration);
  for (auto& [s, n] : rows)
    page.layout.paragraph(fmt::format("- {}: {} ({})", plural(n, "finding"), s->reason, s->by), 2, kIndent);
}

void writeRefused(TextPage& page) {
  auto rows = grouped(page.report.refused);
  if (rows.empty()) return;
  page.layout.heading("Refused, and why");
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Refusal& r = *rows[i].first;
    std::string at = r.mismatch.at.empty() ? "" : r.mismatch.at + " ";
    page.layout.paragraph(
        fmt::format("- {} at {}: {}{}", r.rule, siteWords(r.where, rows[i].sites), at, r.mismatch.reason), 2,
        kIndent);
  }
  page.writeRest(rows.size());
}

void writeNotApplicable(TextPage& page) {
  if (page.report.notApplicable.empty()) return;
  std::vector<std::pair<std::string, std::string>> rows;  // reason, rules
  std::map<std::string, std::size_t> known;
  for (auto& n : page.report.notApplicable) {
    auto [it, added] = known.emplace(n.reason, rows.size());
    if (added) rows.emplace_back(n.reason, n.rule);
    else rows[it->second].second += ", " + n.rule;
  }
  page.layout.heading("Not applicable");
  for (auto& [reason, rules] : rows) page.layout.paragraph(rules + ": " + reason, 2, kIndent);
}

}  // namespace kadvise

#include "reports/sections.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "reports/baseline.h"
#include "reports/counts.h"
#include "reports/found_rows.h"

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

std::string ruleOf(const Report& r, const std::string& finding) {
  for (auto& f : r.findings)
    if (f.id == finding) return f.rule;
  return "";
}

// Of a suppression by category there are several.
std::string rulesSuppressedBy(const Report& r, const std::string& by) {
  std::set<std::string> rules;
  for (auto& s : r.suppressed)
    if (s.by == by) rules.insert(ruleOf(r, s.finding));
  std::string out;
  for (auto& rule : rules)
    if (!rule.empty()) out += (out.empty() ? "" : ", ") + rule;
  return out;
}

// As kadvise-graph begins such sentences.
constexpr const char *kAboveLevel = "is of level ", *kAboutGpus = "is about cuda devices";

// What is wrong however little it costs stays.
bool isWorthless(const Finding* f) { return f->severity <= Severity::Opportunity && promisesNothing(*f); }

void writeRefusals(TextPage& page, const std::string& heading, const std::vector<Refusal>& refusals) {
  auto rows = grouped(refusals);
  if (rows.empty()) return;
  page.layout.heading(heading);
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Refusal& r = *rows[i].first;
    std::string at = r.mismatch.at.empty() ? "" : r.mismatch.at + " ";
    page.layout.paragraph(
        fmt::format("- {} at {}: {}{}", r.rule, siteWords(r.where, rows[i].sites), at, r.mismatch.reason), 2,
        kIndent);
  }
  page.writeRest(rows.size());
}

}  // namespace

std::size_t TextPage::shown(std::size_t rows) const {
  return style.verbose ? rows : std::min(rows, kShortList);
}

void TextPage::writeRest(std::size_t rows) {
  if (rows > shown(rows))
    layout.paragraph(fmt::format("… and {} more (--verbose lists all)", rows - shown(rows)), kIndent);
}

void TextPage::writeWorthless(std::size_t n, const std::string& noun) {
  if (n) layout.paragraph(fmt::format("{} estimated to save nothing not shown (-v)", plural(n, noun)), 2);
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
  if (out.empty()) out = "place unknown (the file keeps no source line of it)";
  if (sites > 1) out += fmt::format(", and {} alike", plural(sites - 1, "site"));
  return out;
}

void writeUnproposed(TextPage& page) {
  auto findings = unproposedFindings(page.report);
  std::size_t all = findings.size();
  if (!page.style.verbose) std::erase_if(findings, [&](auto* f) { return isKnown(page.report, f->id); });
  std::size_t known = all - findings.size();
  std::size_t worthless =
      page.style.verbose || !isUnverified(page.report) ? 0 : std::erase_if(findings, isWorthless);
  auto rows = foundRows(findings);
  if (all == 0) return;
  page.layout.heading("Also found, to change by hand");
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    const Finding& f = *rows[i].first;
    page.layout.paragraph(fmt::format("- {}: {}  [{}]{}", word(f.severity), messageOf(rows[i]), f.rule,
                                      knownMark(page.report, f.id)),
                          2, kIndent);
    page.layout.paragraph(siteWords(f.where, rows[i].sites), kIndent);
    page.writeSnippet(f.where);
    if (auto estimate = estimateWords(&f, rows[i].sites); !estimate.empty())
      page.layout.paragraph(estimate, kIndent);
  }
  page.writeRest(rows.size());
  if (known) page.layout.paragraph(fmt::format("{} not shown (-v)", plural(known, "known finding")), 2);
  page.writeWorthless(worthless, "finding");
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
    page.layout.paragraph(fmt::format("- {} of {}: {} ({})", plural(n, "finding"),
                                      rulesSuppressedBy(page.report, s->by), s->reason, s->by),
                          2, kIndent);
}

void writeRefused(TextPage& page) {
  std::vector<Refusal> refused, above, looksAlike;
  for (auto& r : page.report.refused) {
    if (isNoPlace(r)) {
      looksAlike.push_back(r);
      auto& reason = looksAlike.back().mismatch.reason;  // what the heading says is not said again
      if (auto colon = reason.find(": "); colon != std::string::npos) reason.erase(0, colon + 2);
      continue;
    }
    (r.mismatch.reason.starts_with(kAboveLevel) ? above : refused).push_back(r);
  }
  writeRefusals(page, "Refused, and why", refused);
  writeRefusals(page, "Above --level", above);
  if (page.style.verbose) writeRefusals(page, "Looks like a place of a rule, and is none", looksAlike);
}

void writeNotApplicable(TextPage& page) {
  auto& all = page.report.notApplicable;
  if (all.empty()) return;
  if (!page.style.verbose) {
    page.layout.blank();
    auto elsewhere =
        std::count_if(all.begin(), all.end(), [](auto& n) { return n.reason.starts_with(kAboutGpus); });
    auto here = all.size() - static_cast<std::size_t>(elsewhere);
    page.layout.paragraph(
        fmt::format("{} found nothing (kadvise why-not RULE {} says why; -v lists them){}",
                    plural(here, "rule"), shellQuoted(page.report.subject.path),
                    elsewhere ? fmt::format("; {} for GPUs not looked for", elsewhere) : ""),
        0, 2, Ink::Dim);
    return;
  }
  std::vector<std::pair<std::string, std::string>> rows;  // reason, rules
  std::map<std::string, std::size_t> known;
  for (auto& n : all) {
    auto [it, added] = known.emplace(n.reason, rows.size());
    if (added) rows.emplace_back(n.reason, n.rule);
    else rows[it->second].second += ", " + n.rule;
  }
  page.layout.heading("Not applicable");
  for (auto& [reason, rules] : rows) page.layout.paragraph(rules + ": " + reason, 2, kIndent);
}

}  // namespace kadvise

#include <fmt/format.h>

#include <algorithm>

#include "reports/found_rows.h"
#include "reports/rule_answer.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// Of more rules that are asked about, each gets a line.
constexpr std::size_t kMostInFull = 12;

// One row for equal things, with how many, in the order of the first of each.
struct Row {
  std::string text;
  const Location* where;
  std::size_t sites;
};

void addRow(std::vector<Row>& rows, const std::string& text, const Location& where, std::size_t sites) {
  auto same = std::find_if(rows.begin(), rows.end(), [&](auto& r) {
    return r.text == text && r.where->file == where.file && r.where->line == where.line;
  });
  if (same != rows.end()) same->sites += sites;
  else rows.push_back({text, &where, sites});
}

void writeRows(TextPage& page, const char* what, const std::vector<Row>& rows) {
  for (std::size_t i = 0; i < page.shown(rows.size()); ++i) {
    auto& r = rows[i];
    page.layout.paragraph(
        fmt::format("{} at {}{}", what, siteWords(*r.where, r.sites), r.text.empty() ? "" : ": " + r.text), 2,
        kIndent);
    page.writeSnippet(*r.where);
  }
  page.writeRest(rows.size());
}

bool isSamePlace(const Location& a, const Location& b) {
  return a.file == b.file && a.line == b.line && (a.line > 0 || a.scope == b.scope);
}

// "11 of 12 operators match"; with two differences the rest was not compared.
std::string extent(const NearPlace& n) {
  if (n.of == 0) return "";
  if (n.matched == n.of)
    return fmt::format("all {} of the pattern match, but",
                       plural(static_cast<std::size_t>(n.of), "operator"));
  return fmt::format("{}{} of {} of the pattern match, but", n.differences.size() > 1 ? "at least " : "",
                     n.matched, plural(static_cast<std::size_t>(n.of), "operator"));
}

void writeNear(TextPage& page, const NearPlace& n) {
  const char* head = isNear(n) ? "nearest: " : "nothing comes near; the most like it is at ";
  page.layout.paragraph(head + siteWords(n.where, static_cast<std::size_t>(n.sites)), 2, kIndent);
  page.writeSnippet(n.where);
  if (auto words = extent(n); !words.empty()) page.layout.paragraph(words, kIndent);
  for (auto& d : n.differences) {
    page.layout.paragraph("- " + words(d.mismatch), kIndent, kIndent + 2);
    bool elsewhere = !isSamePlace(d.where, n.where) && !(d.where.file.empty() && d.where.scope.empty());
    if (elsewhere) page.layout.paragraph("at " + siteWords(d.where, 1), kIndent + 2);
  }
}

// With the inputs that were given to this run.
std::string measureCommand(const Report& r) {
  std::string out = "kadvise " + shellQuoted(r.subject.path);
  if (r.inputs.from == "file") return out + " --inputs " + shellQuoted(r.inputs.file);
  if (r.inputs.from == "options")
    for (auto& spec : r.inputs.specs) out += " --input " + shellQuoted(spec);
  return out;
}

// Found and still not in the advice: what the last run measured says why.
void writeWhatBecame(TextPage& page, const std::string& rule) {
  auto& candidates = page.report.candidates;
  if (std::none_of(candidates.begin(), candidates.end(), [&](auto& c) { return c.rule == rule; })) return;
  bool measured = false;
  for (auto& e : page.report.whyNot->earlier) {
    if (e.rule != rule) continue;
    page.layout.paragraph("in the last run: " + e.what, 2, kIndent);
    measured = true;
  }
  if (!measured)
    page.layout.paragraph("run `" + measureCommand(page.report) + "` to measure them", 2, kIndent);
}

void writeRule(TextPage& page, const RuleAnswer& a) {
  const std::string& rule = a.rule;
  auto text = page.report.rules.find(rule);
  page.layout.heading(fmt::format("{}: {}", rule, headOf(a)));
  if (text != page.report.rules.end()) page.layout.paragraph(text->second.title, 2, 2, Ink::Dim);
  std::vector<Row> found, refused;
  for (auto* f : a.found)
    addRow(found, f->message == (text == page.report.rules.end() ? "" : text->second.title) ? "" : f->message,
           f->where, sitesOf(*f));
  for (auto* r : a.refused) addRow(refused, words(r->mismatch), r->where, 1);
  writeRows(page, "found", found);
  if (!found.empty()) writeWhatBecame(page, rule);
  writeRows(page, "refused", refused);
  for (auto* n : a.near) writeNear(page, *n);
  if (a.near.empty() && !a.nothing.empty()) page.layout.paragraph(a.nothing, 2);
}

}  // namespace

void writeWhyNot(TextPage& page) {
  const Report& r = page.report;
  page.layout.paragraph(fmt::format("{} {}  {}", r.tool.name, r.tool.version, r.subject.path), 0, 2,
                        Ink::Dim);
  writeErrors(page);
  if (!r.errors.empty()) return;
  if (!page.style.verbose && r.whyNot->rules.size() > kMostInFull) writeNearest(page);
  else
    for (auto& a : answersByNearness(r)) writeRule(page, a);
  if (r.notes.empty()) return;
  page.layout.heading("Notes");
  for (auto& n : r.notes) page.layout.paragraph("- " + n, 2, kIndent);
}

}  // namespace kadvise

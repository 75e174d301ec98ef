#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "reports/layout.h"
#include "reports/lint_formats.h"
#include "reports/lint_summary.h"

namespace kadvise {
namespace {

constexpr std::size_t kFewRelated = 3, kMostRelated = 20;  // with -v
constexpr std::size_t kFewFiles = 3;

Ink inkOf(Severity s) {
  return s == Severity::Error ? Ink::Bad : s == Severity::Warning ? Ink::Fair : Ink::Bold;
}

std::string count(std::size_t n, const char* noun) {
  const char* many = std::string_view(noun).ends_with('x') ? "es" : "s";
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : many);
}

std::string fixWords(const Finding& f) {
  const Fix* best = nullptr;
  for (auto& fix : f.fixes)
    if (!best || fix.safety > best->safety) best = &fix;
  if (!best) return "";
  const char* how = best->safety == Safety::Safe     ? " (--fix)"
                    : best->safety == Safety::Unsafe ? " (--fix --unsafe-fixes)"
                                                     : "";
  return "fix: " + best->title + how;
}

// Repeats are named by their lines, places of another kind by what they are.
void addRelated(Layout& page, const Finding& f, bool verbose) {
  std::string repeats;
  std::size_t shown = 0, count = 0;
  std::set<int> known{f.where.line};
  for (auto& l : f.related) {
    if (l.note != "and here") {
      page.paragraph(fmt::format("{}:{}: {}", l.file, l.line, l.note), 4, Ink::Dim);
      continue;
    }
    if (!known.insert(l.line).second) continue;
    ++count;
    if (shown < (verbose ? kMostRelated : kFewRelated))
      ++shown, repeats += (repeats.empty() ? "" : ", ") + std::to_string(l.line);
  }
  if (count == 0) return;
  std::string more = shown < count ? fmt::format(" and {} more", count - shown) : "";
  page.paragraph("also at line" + std::string(count == 1 ? " " : "s ") + repeats + more, 4, Ink::Dim);
}

void addFinding(Layout& page, const Finding& f, const LintReport& report, bool verbose) {
  std::string unsure = f.confidence.empty() || f.confidence == "certain" ? "" : " (" + f.confidence + ")";
  page.paragraph(fmt::format("{}:{}:{}: {}: {}{} [{}]", f.where.file, f.where.line, f.where.column,
                             word(f.severity), f.message, unsure, f.rule),
                 0, 2, inkOf(f.severity));
  auto begin = f.where.snippet.find_first_not_of(" \t");
  if (begin != std::string::npos) page.verbatim(f.where.snippet.substr(begin), 4);
  if (f.price) page.paragraph("cost: " + f.price->words, 4, 6);
  addRelated(page, f, verbose);
  if (auto fix = fixWords(f); !fix.empty()) page.paragraph(fix, 4, 6, Ink::Good);
  if (!verbose) return;
  auto rule = report.rules.find(f.rule);
  if (rule == report.rules.end()) return;
  auto say = [&](const char* title, const std::string& text) {
    if (!text.empty()) page.paragraph(std::string(title) + ": " + text, 4, 6);
  };
  say("Why it costs", sectionOf(rule->second, "Why it costs"));
  say("What to write instead", insteadOf(rule->second));
}

void addLimits(Layout& page, const LintReport& report, bool verbose) {
  for (auto& file : report.files) {
    if (!verbose || !file.failure.empty()) continue;
    for (auto& e : file.errors)
      page.paragraph(fmt::format("{}:{}: {}", file.path, e.line, e.message), 2, 4, Ink::Dim);
    for (auto& m : file.missing) page.paragraph(fmt::format("{}: no {}", file.path, m), 2, 4, Ink::Dim);
  }
  auto limits = lintLimits(report);
  bool hasErrors = !verbose && !limits.empty() && limits.front().isOfErrors;
  if (hasErrors) {
    page.paragraph(limits.front().text + " (-v lists the errors):");
    for (auto& e : firstErrors(report, kFewFiles)) page.paragraph(e, 2, 4, Ink::Dim);
  }
  if (verbose)
    for (auto& l : limits) page.paragraph(l.text);
}

void addFixed(Layout& page, const LintReport& report) {
  if (report.fixed.empty()) return;
  std::size_t fixes = 0;
  for (auto& f : report.fixed) fixes += static_cast<std::size_t>(f.fixes);
  page.paragraph(fmt::format("{} {} in {}", report.isDryRun ? "would apply" : "applied", count(fixes, "fix"),
                             count(report.fixed.size(), "file")),
                 0, Ink::Good);
}

// Which headers a source was read with decides what is known of it.
void addHeaders(Layout& page, const LintReport& report) {
  bool isOwn =
      std::any_of(report.files.begin(), report.files.end(), [](auto& f) { return f.tier == "stub"; });
  if (isOwn)
    page.paragraph("read with kadvise's own headers; --toolkit DIR or CUDA_HOME for the toolkit's", 0, 2,
                   Ink::Dim);
}

}  // namespace

std::string lintText(const LintReport& report, const TextStyle& style) {
  Layout page(style.width, style.colored);
  bool isEmpty = true;
  for (auto* e : errorsOfNoFile(report)) page.paragraph(e->where + ": " + e->what, 0, 2, Ink::Bad);
  for (auto& file : report.files) {
    if (!file.failure.empty()) page.paragraph(file.path + ": " + file.failure, 0, 2, Ink::Bad);
    for (auto& f : file.findings) addFinding(page, f, report, style.verbose), isEmpty = false;
  }
  if (!isEmpty) page.blank();
  bool wasAnyRead = !report.files.empty() || report.errors.empty();
  if (wasAnyRead) page.paragraph(lintSummary(report), 0, Ink::Bold);
  addFixed(page, report);
  addLimits(page, report, style.verbose);
  if (!style.verbose) addHeaders(page, report);  // else the limits count them
  for (auto& note : report.notes) page.paragraph("note: " + note, 0, 2);
  return page.text();
}

}  // namespace kadvise

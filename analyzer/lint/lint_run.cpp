#include "analyzer/lint/lint_run.h"

#include <algorithm>
#include <iostream>
#include <iterator>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lint/lint_fixes.h"
#include "analyzer/lint/lint_policy.h"
#include "analyzer/lint/lint_session.h"
#include "analyzer/lint/source_files.h"
#include "analyzer/lint/unused_suppression.h"
#include "analyzer/lint/whole_file.h"
#include "analyzer/rule_selection.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostBytes = 4u << 20;

bool isNamed(const std::vector<std::string>& selectors, const std::string& id) {
  return std::find(selectors.begin(), selectors.end(), id) != selectors.end();
}

// Files that cannot be read are results of their own; the others go on.
bool isUtf16(const std::string& text) { return text.starts_with("\xff\xfe") || text.starts_with("\xfe\xff"); }

std::vector<LintSubject> subjectsOf(const LintOptions& options, const Configuration& file,
                                    std::vector<LintedFile>& failed, LintReport& report) {
  std::vector<LintSubject> out;
  if (options.stdinFile) {
    out.push_back({*options.stdinFile, {std::istreambuf_iterator<char>(std::cin), {}}, true});
    return out;
  }
  std::vector<std::string> exclude = options.exclude;
  exclude.insert(exclude.end(), file.exclude.begin(), file.exclude.end());
  fs::path folder = file.path.empty() ? fs::path() : fs::absolute(file.path).lexically_normal().parent_path();
  SourceFiles found = findSources(options, exclude, folder);
  for (auto& path : found.missing) {
    const char* missing = path == "-" ? "no such file; standard input is read with --stdin-filename NAME"
                                      : "no such file or folder";
    if (found.files.empty()) report.errors.push_back({path, missing});
    else report.notes.push_back(path + ": " + missing);
  }
  for (auto& path : found.locked) report.errors.push_back({path, "cannot be read"});
  for (auto& path : found.passed)
    report.notes.push_back(path + ": cannot be read; nothing in it is looked at");
  for (auto& path : found.files) {
    try {
      std::string text = readFile(path, kMostBytes);
      // For a compiler of resources, say: who did not name it does not ask for it.
      if (isUtf16(text) && !found.named.count(path))
        report.notes.push_back(path + ": is UTF-16, which no CUDA compiler reads; it is not looked at");
      else out.push_back({path, std::move(text), false});
    } catch (const Error& e) {
      failed.push_back({});
      failed.back().path = path, failed.back().failure = e.reason;
    }
  }
  return out;
}

void describeRules(const LintSession& session, LintReport& report) {
  for (auto& file : report.files)
    for (auto& f : file.findings) report.rules[f.rule].id = f.rule;
  for (auto& [id, rule] : report.rules) {
    rule.title = id == kUnusedSuppression ? "a comment that suppresses nothing" : "";
    rule.confidence = "certain", rule.severity = Severity::Note;
    for (auto* page : session.rules())
      if (page->id == id)
        rule = {id, page->title, page->confidence, page->severity, page->tags, page->sections};
  }
}

// A category brings no rule that is off: those are named one by one.
void noteCategories(const LintSession& session, LintReport& report) {
  for (auto& s : withoutUnusedSuppression(session.options().extendSelect)) {
    bool isRule = std::any_of(session.rules().begin(), session.rules().end(),
                              [&](auto* page) { return isNamed({s}, page->id); });
    if (!isRule)
      report.notes.push_back("--extend-select " + s +
                             " brings no rule that is off: each of those is named by its whole id; "
                             "`kadvise rules list` shows which are");
  }
}

// A run that could not read a file has not seen all: its baseline would later call findings new that are not.
void keepBaseline(const LintOptions& options, const AssistantOptions& assistant, LintReport& report) {
  if (!report.errors.empty()) {
    report.notes.push_back("--write-baseline " + options.writeBaseline.string() +
                           ": not written, as this run has not seen all");
    return;
  }
  try {
    writeLintBaseline(assistant, options.writeBaseline, report.files);
  } catch (const Error& e) {
    report.errors.push_back({e.where, e.reason});
  }
}

}  // namespace

std::vector<const RulePage*> rulesOfLint(const Catalogue& book, const LintOptions& options,
                                         const AssistantOptions& assistant) {
  const Configuration& file = assistant.configuration;
  auto require = [&](const std::vector<std::string>& selectors, const std::string& place) {
    requireRules(book, withoutUnusedSuppression(selectors), place);
  };
  require(assistant.select, "--select"), require(assistant.ignore, "--ignore");
  require(options.extendSelect, "--extend-select");
  for (auto& [rule, at] : file.named) require({rule}, at);
  auto select = assistant.select.empty() ? selectOfFile(book, file, /*isLint=*/true)
                                         : withoutUnusedSuppression(assistant.select);
  auto& ignore = assistant.ignore.empty() ? file.ignore : assistant.ignore;
  std::vector<const RulePage*> out;
  for (auto& page : book.pages) {
    if (!page.readsSources()) continue;
    bool named = isNamed(select, page.id) || isNamed(options.extendSelect, page.id);
    bool chosen = (select.empty() || anyCovers(select, page.id)) && !page.isOff;
    bool off = assistant.select.empty() && !severityOf(file, page.id, page.severity);
    bool extended = anyCovers(options.extendSelect, page.id) && !page.isOff;
    if ((chosen || named || extended) && !anyCovers(ignore, page.id) && !off) out.push_back(&page);
  }
  return out;
}

LintReport lint(const LintOptions& options, const AssistantOptions& assistant) {
  LintSession session(options, assistant);
  LintReport report;
  report.command = assistant.command;
  report.isDryRun = options.diff;
  report.notes = session.notes();
  noteCategories(session, report);
  auto subjects = subjectsOf(options, assistant.configuration, report.files, report);
  auto results = session.look(subjects);
  applyLintPolicy(assistant, results);
  if (options.fix || options.diff) applyFixes(session, subjects, results, report);
  if (options.stdinFile && options.fix && !options.diff) report.fixedInput = subjects.front().text;
  report.files.insert(report.files.end(), std::make_move_iterator(results.begin()),
                      std::make_move_iterator(results.end()));
  std::sort(report.files.begin(), report.files.end(), [](auto& a, auto& b) { return a.path < b.path; });
  for (auto& file : report.files)
    if (!file.failure.empty()) report.errors.push_back({file.path, file.failure});
  report.cached = session.cached();
  describeRules(session, report);
  if (!options.writeBaseline.empty()) keepBaseline(options, assistant, report);
  foldWholeFiles(session.rules(), report.files);
  return report;
}

}  // namespace kadvise

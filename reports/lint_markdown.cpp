// A lint run as Markdown, as GitHub shows it: for a pull request, an issue or a step summary.
#include <fmt/format.h>

#include <algorithm>

#include "reports/lint_formats.h"
#include "reports/lint_summary.h"
#include "reports/markdown.h"

namespace kadvise {
namespace {

// GitHub cuts a summary at 1 MiB.
constexpr std::size_t kMostRows = 1000;

void addRow(std::string& out, const Finding& f) {
  bool isFixable = hasFix(f, Safety::Unsafe), isSure = f.confidence.empty() || f.confidence == "certain";
  std::string what = f.message + (isSure ? "" : " (" + f.confidence + ")");
  if (f.price) what += "; cost: " + f.price->words;
  out += fmt::format("| {} | {} | {} | {} | {} |\n",
                     escapedForMarkdown(fmt::format("{}:{}", f.where.file, f.where.line)), word(f.severity),
                     escapedForMarkdown(what), escapedForMarkdown(f.rule),
                     hasFix(f, Safety::Safe) ? "fix"
                     : isFixable             ? "unsafe fix"
                                             : "");
}

}  // namespace

std::string lintMarkdown(const LintReport& report) {
  std::string rows;
  std::size_t n = 0;
  for (auto& file : report.files)
    for (auto& f : file.findings)
      if (++n <= kMostRows) addRow(rows, f);
  std::string out = "## kadvise lint\n\n**" + escapedForMarkdown(lintSummary(report)) + "**\n\n";
  if (!rows.empty()) out += "| where | severity | what | rule | |\n|---|---|---|---|---|\n" + rows + "\n";
  if (n > kMostRows) out += fmt::format("And {} more.\n\n", n - kMostRows);
  for (auto* e : errorsOfNoFile(report)) out += "- " + escapedForMarkdown(e->where + ": " + e->what) + "\n";
  for (auto& file : report.files)
    if (!file.failure.empty()) out += "- " + escapedForMarkdown(file.path + ": " + file.failure) + "\n";
  for (auto& limit : lintLimits(report)) out += "- " + escapedForMarkdown(limit.text) + "\n";
  for (auto& note : report.notes) out += "- note: " + escapedForMarkdown(note) + "\n";
  return out;
}

}  // namespace kadvise

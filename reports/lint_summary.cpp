#include "reports/lint_summary.h"

#include <fmt/format.h>

#include <set>

namespace kadvise {
namespace {

std::string count(std::size_t n, const char* noun) {
  return fmt::format("{} {}{}", n, noun, n == 1 ? "" : "s");
}

}  // namespace

std::string lintSummary(const LintReport& report) {
  std::size_t findings = 0, fixable = 0, unsafe = 0, suppressed = 0, known = 0;
  for (auto& file : report.files) {
    for (auto& f : file.findings) {
      ++findings, fixable += hasFix(f, Safety::Safe);
      unsafe += !hasFix(f, Safety::Safe) && hasFix(f, Safety::Unsafe);
    }
    suppressed += static_cast<std::size_t>(file.suppressed), known += static_cast<std::size_t>(file.known);
  }
  std::string out = findings ? count(findings, "finding") : "no findings";
  out += " in " + count(report.files.size(), "file");
  if (fixable) out += fmt::format(", {} fixable with --fix", fixable);
  if (unsafe) out += fmt::format(", {} {}fixable with --fix --unsafe-fixes", unsafe, fixable ? "more " : "");
  if (suppressed) out += fmt::format(", {} suppressed", suppressed);
  if (known) out += fmt::format(", {} known from the baseline", known);
  return out;
}

std::vector<LintLimit> lintLimits(const LintReport& report) {
  std::size_t withErrors = 0, stub = 0, read = 0;
  int broken = 0, kernels = 0;
  for (auto& file : report.files) {
    if (!file.failure.empty()) continue;
    ++read, stub += file.tier == "stub", withErrors += file.errorCount > 0;
    broken += file.brokenKernels, kernels += file.kernels;
  }
  std::vector<LintLimit> out;
  if (withErrors)
    out.push_back({fmt::format("{} of {} did not parse cleanly; what is around an error is not looked at",
                               withErrors, count(read, "file")),
                   true});
  if (stub)
    out.push_back({fmt::format("headers: {} with kadvise's own declarations of CUDA, {} with a toolkit's",
                               stub, read - stub)});
  if (kernels) out.push_back({fmt::format("kernels: {}, {} of them with errors inside", kernels, broken)});
  return out;
}

std::vector<std::string> firstErrors(const LintReport& report, std::size_t mostFiles) {
  std::vector<std::string> out;
  std::size_t more = 0;
  for (auto& file : report.files) {
    if (!file.failure.empty() || file.errors.empty()) continue;
    if (out.size() == mostFiles) ++more;
    else out.push_back(fmt::format("{}:{}: {}", file.path, file.errors[0].line, file.errors[0].message));
  }
  if (more) out.push_back("and " + count(more, "more file"));
  return out;
}

std::vector<const Diagnostic*> errorsOfNoFile(const LintReport& report) {
  std::set<std::string> unread;
  for (auto& file : report.files)
    if (!file.failure.empty()) unread.insert(file.path);
  std::vector<const Diagnostic*> out;
  for (auto& e : report.errors)
    if (!unread.contains(e.where)) out.push_back(&e);
  return out;
}

}  // namespace kadvise

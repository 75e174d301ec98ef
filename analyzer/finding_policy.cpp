#include "analyzer/finding_policy.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "analyzer/core/glob.h"
#include "reports/baseline.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

// The spellings of a path that a pattern may mean: as it is, and relative to the folder of kadvise.toml.
std::vector<std::string> spellings(const std::string& path, const fs::path& folder) {
  std::vector<std::string> out;
  if (path.empty()) return out;
  out.push_back(path);
  fs::path relative = fs::absolute(path).lexically_normal().lexically_relative(folder);
  if (!relative.empty() && *relative.begin() != "..") out.push_back(relative.string());
  return out;
}

bool matchesAny(const std::string& glob, const std::vector<std::string>& paths) {
  return std::any_of(paths.begin(), paths.end(), [&](auto& p) { return pathMatches(glob, p); });
}

bool meets(const Suppression& s, const Finding& f) {
  if (!s.id.empty()) return s.id == f.id;
  return selectorCovers(s.rule, f.rule) && scopeMatches(s.where, f.where.scope);
}

// The module's path and the findings' sources are matched.
bool meets(const PathIgnore& p, const Finding& f, const std::vector<std::string>& module,
           const fs::path& folder) {
  return anyCovers(p.rules, f.rule) &&
         (matchesAny(p.glob, module) || matchesAny(p.glob, spellings(f.where.file, folder)));
}

// What a person wrote a reason for comes first.
std::optional<Suppressed> suppressed(const Finding& f, const Configuration& file,
                                     const std::vector<std::string>& module, const fs::path& folder) {
  for (auto& s : file.suppressions)
    if (meets(s, f)) return Suppressed{f.id, s.reason, s.at};
  for (auto& p : file.pathIgnores)
    if (meets(p, f, module, folder)) return Suppressed{f.id, "per-path-ignores \"" + p.glob + "\"", p.at};
  return std::nullopt;
}

void dropSuppressed(Report& report) {
  for (auto& c : report.candidates)
    std::erase_if(c.findings, [&](auto& id) { return suppressionOf(report, id) != nullptr; });
  std::erase_if(report.candidates, [](auto& c) { return c.findings.empty(); });
}

fs::path folderOf(const Configuration& file) {
  return fs::absolute(file.path).lexically_normal().parent_path();
}

}  // namespace

void applyPolicy(Report& report, const Configuration& file, std::size_t first) {
  if (file.path.empty()) return;
  fs::path folder = folderOf(file);
  auto module = spellings(report.subject.path, folder);
  for (std::size_t i = first; i < report.findings.size(); ++i) {
    Finding& f = report.findings[i];
    // A rule that is off is here because the command line asked for it.
    f.severity = severityOf(file, f.rule, f.severity).value_or(f.severity);
    if (auto s = suppressed(f, file, module, folder)) report.suppressed.push_back(*s);
  }
  dropSuppressed(report);
}

void noteUnusedPolicy(Report& report, const Configuration& file) {
  if (file.path.empty()) return;
  fs::path folder = folderOf(file);
  auto module = spellings(report.subject.path, folder);
  auto none = [&](auto met) { return std::none_of(report.findings.begin(), report.findings.end(), met); };
  for (auto& s : file.suppressions)
    if (none([&](auto& f) { return meets(s, f); }))
      report.notes.push_back("the suppression at " + s.at + " meets no finding of this run");
  for (auto& p : file.pathIgnores)
    if (none([&](auto& f) { return meets(p, f, module, folder); }))
      report.notes.push_back("per-path-ignores \"" + p.glob + "\" at " + p.at +
                             " meets no finding of this run");
}

std::vector<std::string> suppressedIds(const Report& report) {
  std::vector<std::string> out;
  for (auto& s : report.suppressed) out.push_back(s.finding);
  return out;
}

}  // namespace kadvise

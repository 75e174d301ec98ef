#include "analyzer/lint/lint_policy.h"

#include <algorithm>
#include <iterator>
#include <set>

#include "analyzer/core/file.h"
#include "analyzer/core/finding_identity.h"
#include "analyzer/core/glob.h"
#include "analyzer/lint/project_name.h"
#include "analyzer/lint/unused_suppression.h"
#include "reports/baseline.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

bool isIgnored(const Configuration& file, const Finding& f) {
  fs::path folder = fs::absolute(file.path).lexically_normal().parent_path();
  fs::path relative = fs::absolute(f.where.file).lexically_normal().lexically_relative(folder);
  for (auto& p : file.pathIgnores) {
    if (anyCovers(p.rules, f.rule) &&
        (pathMatches(p.glob, f.where.file) || pathMatches(p.glob, relative.string())))
      return true;
  }
  return std::any_of(file.suppressions.begin(), file.suppressions.end(), [&](auto& s) {
    return !s.id.empty() ? s.id == f.id
                         : selectorCovers(s.rule, f.rule) && scopeMatches(s.where, f.where.scope);
  });
}

void applyConfiguration(const Configuration& file, LintedFile& linted) {
  if (file.path.empty()) return;
  auto before = linted.findings.size();
  std::erase_if(linted.findings, [&](auto& f) { return isIgnored(file, f); });
  linted.suppressed += static_cast<int>(before - linted.findings.size());
  for (auto& f : linted.findings) f.severity = severityOf(file, f.rule, f.severity).value_or(f.severity);
}

}  // namespace

void applyLintPolicy(const AssistantOptions& options, std::vector<LintedFile>& files) {
  std::set<std::string> known;
  if (!options.baseline.empty())
    for (auto& e : readBaseline(options.baseline.string())) known.insert(e.id);
  UnusedChoice unused = unusedChoiceOf(options);
  for (auto& file : files) {
    std::erase_if(file.findings,
                  [&](auto& f) { return f.rule == kUnusedSuppression ? !unused.isSaid : unused.isAlone; });
    // Baselines and suppressions know findings by the name that the file has in the project.
    identify(file.findings, nameInProject(file.path, options.configuration.path));
    applyConfiguration(options.configuration, file);
    auto isKnown = [&](auto& f) { return known.count(f.id) > 0; };
    std::copy_if(file.findings.begin(), file.findings.end(), std::back_inserter(file.inBaseline), isKnown);
    std::erase_if(file.findings, isKnown);
    file.known = static_cast<int>(file.inBaseline.size());
  }
}

void writeLintBaseline(const AssistantOptions& options, const fs::path& path,
                       const std::vector<LintedFile>& files) {
  std::vector<BaselineEntry> entries;
  for (auto& file : files) {
    std::string name = nameInProject(file.path, options.configuration.path);
    for (auto* findings : {&file.findings, &file.inBaseline})
      for (auto& f : *findings) entries.push_back({name, f.rule, f.where.scope, f.id, f.message});
  }
  writeFile(path, baselineText(std::move(entries)));
}

}  // namespace kadvise

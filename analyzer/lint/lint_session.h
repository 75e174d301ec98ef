// What the steps of a lint run share.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/installation.h"
#include "analyzer/lint/git_lines.h"
#include "analyzer/lint/lint_options.h"
#include "analyzer/lint/result_cache.h"
#include "analyzer/lint/source_pool.h"
#include "analyzer/work_dir.h"

namespace kadvise {

// One file of the run, and the text that it is linted as.
struct LintSubject {
  std::string path, text;
  bool isGiven = false;  // the text is not what the file holds: standard input, or fixes that are tried
};

class LintSession {
 public:
  LintSession(const LintOptions&, const AssistantOptions&);

  const std::vector<const RulePage*>& rules() const { return rules_; }
  const LintOptions& options() const { return options_; }
  const AssistantOptions& assistant() const { return assistant_; }

  // The results, in the order of the subjects, before severities, ignores and baseline are looked at.
  std::vector<LintedFile> look(const std::vector<LintSubject>&);
  int cached() const { return cached_; }

 private:
  Json argumentsFor(const LintSubject&, const std::vector<std::pair<int, int>>* lines) const;
  const std::vector<std::pair<int, int>>* linesOf(const std::string& path) const;
  std::string furtherKeyOf(const LintSubject&, const std::vector<std::pair<int, int>>* lines) const;
  SourcePool& pool();
  WaitHooks hooks(std::size_t all, const std::size_t& done) const;
  std::filesystem::path databaseFor(const std::string& path) const;

  const LintOptions& options_;
  const AssistantOptions& assistant_;
  Installation installation_;
  Catalogue book_;
  std::vector<const RulePage*> rules_;
  std::optional<ChangedLines> changed_;
  std::optional<WorkDir> work_;
  std::unique_ptr<SourcePool> pool_;
  std::unique_ptr<ResultCache> cache_;
  mutable std::map<std::string, std::filesystem::path> databases_;  // by folder
  int cached_ = 0;
};

// One request's answer as a result.
LintedFile resultOf(const std::string& path, SourceReply);

}  // namespace kadvise

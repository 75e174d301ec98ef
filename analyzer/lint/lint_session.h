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
#include "analyzer/lint/moved_lines.h"
#include "analyzer/lint/result_cache.h"
#include "analyzer/lint/source_pool.h"
#include "analyzer/lint/surroundings.h"
#include "analyzer/work_dir.h"

namespace kadvise {

// One file of the run, and the text that it is linted as.
struct LintSubject {
  std::string path, text;
  bool isGiven = false;  // the text is not what the file holds: standard input, or fixes that are tried
  std::optional<LineRanges> lines;  // that findings must touch, where fixes moved those of the run
};

class LintSession {
 public:
  LintSession(const LintOptions&, const AssistantOptions&);

  const std::vector<const RulePage*>& rules() const { return rules_; }
  const LintOptions& options() const { return options_; }
  const AssistantOptions& assistant() const { return assistant_; }

  // The results, in the order of the subjects, before severities, ignores and baseline are looked at. Each
  // file is read alone first; then those of which others say something once more, with that.
  std::vector<LintedFile> look(const std::vector<LintSubject>&);
  // Lines of a file that were written since --diff-base; null: findings count wherever they are.
  const LineRanges* linesOf(const LintSubject&) const;
  // Of the texts that were looked at last this one is the file's: others are told what it says.
  void stands(const LintedFile&);
  int cached() const { return cached_; }
  const std::vector<std::string>& notes() const { return notes_; }  // of how it was asked for

 private:
  struct Task {
    std::size_t subject = 0;
    std::string key;
    SourceJob job;
  };
  std::vector<Task> tasksAlone(const std::vector<LintSubject>&, std::vector<LintedFile>&);
  std::vector<Task> tasksTogether(const std::vector<LintSubject>&, std::vector<LintedFile>&);
  void run(std::vector<Task>, const std::vector<LintSubject>&, std::vector<LintedFile>&);
  Json argumentsFor(const LintSubject&, const LineRanges*) const;
  std::string furtherKeyOf(const LintSubject&, const LineRanges*) const;
  // Null: no change since --diff-base.
  const ChangedFile* changeOf(const LintSubject&) const;
  const std::optional<std::string>& textBeforeOf(const LintSubject&) const;
  SourcePool& pool();
  WaitHooks hooks(std::size_t all, const std::size_t& done) const;
  std::filesystem::path databaseFor(const std::string& path) const;

  const LintOptions& options_;
  const AssistantOptions& assistant_;
  Installation installation_;
  Catalogue book_;
  std::vector<const RulePage*> rules_;
  std::optional<ChangedFiles> changed_;
  mutable std::map<std::string, std::optional<std::string>> textsBefore_;  // by path, of changed_
  std::optional<WorkDir> work_;
  std::unique_ptr<SourcePool> pool_;
  std::unique_ptr<ResultCache> cache_;
  mutable std::map<std::string, std::filesystem::path> databases_;  // by folder
  std::map<std::string, SourceRecord> records_;                     // by path, of all files looked at
  std::vector<std::string> notes_;
  int cached_ = 0;
};

// One request's answer as a result.
LintedFile resultOf(const std::string& path, SourceReply, const Catalogue&);

}  // namespace kadvise

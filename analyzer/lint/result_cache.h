// What was found in a file, kept until the file, a header of it, the rules or the tool change.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>

#include "analyzer/core/kept_files.h"
#include "reports/lint_report.h"

namespace kadvise {

class ResultCache {
 public:
  // common: all that results of this run depend on beside the file itself.
  ResultCache(KeptFiles, const std::string& common);

  // The key of a file's text; further: what else the result of this file depends on.
  std::string keyOf(const std::string& file, const std::string& text, const std::string& further) const;
  std::optional<LintedFile> find(const std::string& key);
  // A result that could not be written is only slower next time.
  void keep(const std::string& key, const LintedFile&);

 private:
  const std::string& stampOf(const std::string& header);

  KeptFiles files_;
  std::string common_;
  std::unordered_map<std::string, std::string> stamps_;
  bool isSwept_ = false;
};

}  // namespace kadvise

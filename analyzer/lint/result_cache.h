// What was found in a file, kept until the file, a header of it, the rules or the tool change.
#pragma once

#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "reports/lint_report.h"

namespace kadvise {

class ResultCache {
 public:
  // folder: "" for no cache. common: all that results of this run depend on beside the file itself.
  ResultCache(std::filesystem::path folder, const std::string& common);

  // The key of a file's text; further: what else the result of this file depends on.
  std::string keyOf(const std::string& file, const std::string& text, const std::string& further) const;
  std::optional<LintedFile> find(const std::string& key) const;
  // A result that could not be written is only slower next time.
  void keep(const std::string& key, const LintedFile&);

 private:
  std::filesystem::path folder_;
  std::string common_;
};

}  // namespace kadvise

// The reports of all folders of the workspace, read again when their files change.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {

class ModelReports {
 public:
  // wanted: absolute paths; the last part may hold * and ?. Answers whether something is different now.
  bool refresh(const std::vector<std::filesystem::path>& wanted, const Catalogue&);
  // Newest first.
  std::vector<const ModelReport*> all() const;
  // Of several reports the newest one's word on a rule and line counts.
  std::vector<Shown> shownIn(const std::filesystem::path& file, const Text&) const;
  const ModelReport* find(const std::filesystem::path&) const;
  Json toJson() const;

 private:
  std::map<std::filesystem::path, ModelReport> reports_;
  std::map<std::filesystem::path, std::string> useless_;  // files that are no such reports -> stamp
};

}  // namespace kadvise::lsp

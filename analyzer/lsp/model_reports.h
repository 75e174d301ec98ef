// The reports of all folders of the workspace, read again when their files change.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "analyzer/lsp/model_report.h"

namespace kadvise::lsp {

class ModelReports {
 public:
  // wanted: absolute paths; the last part may hold * and ?. Answers whether something is different now.
  // tell hears, once for each state of the file, why a report that is named by itself, or is too long, is not
  // shown; what a pattern finds need be no report.
  bool refresh(const std::vector<std::filesystem::path>& wanted, const Catalogue&,
               const std::function<void(const std::string&)>& tell);
  // Files are looked for in these folders, too, where a report names some that are not there.
  void lookIn(std::vector<std::filesystem::path> roots);
  void forgetFiles() { meant_.clear(); }  // they are looked for anew
  // Newest first.
  std::vector<const ModelReport*> all() const;
  // Of several reports the newest one's word on a rule and line counts.
  std::vector<Shown> shownIn(const std::filesystem::path& file, const Text&) const;
  const ModelReport* find(const std::filesystem::path&) const;
  Json toJson() const;

 private:
  const std::map<std::string, std::filesystem::path>& meantBy(const ModelReport&) const;

  std::map<std::filesystem::path, ModelReport> reports_;
  std::map<std::filesystem::path, std::string> useless_;  // files that are no such reports -> stamp
  std::vector<std::filesystem::path> roots_;
  // Of each report, by the paths in it. Found when a document of one of their names is shown.
  mutable std::map<std::filesystem::path, std::map<std::string, std::filesystem::path>> meant_;
};

}  // namespace kadvise::lsp

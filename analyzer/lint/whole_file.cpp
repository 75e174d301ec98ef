#include "analyzer/lint/whole_file.h"

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>

namespace kadvise {
namespace {

void fold(const std::set<std::string>& wide, std::vector<Finding>& findings) {
  std::map<std::string, std::size_t> first;  // rule -> finding
  std::vector<Finding> out;
  for (auto& f : findings) {
    auto known = first.find(f.rule);
    if (known == first.end()) {
      if (wide.count(f.rule)) first.emplace(f.rule, out.size());
      out.push_back(std::move(f));
      continue;
    }
    Finding& whole = out[known->second];
    f.where.note = "and here";
    whole.related.push_back(std::move(f.where));
    std::move(f.related.begin(), f.related.end(), std::back_inserter(whole.related));
    std::move(f.fixes.begin(), f.fixes.end(), std::back_inserter(whole.fixes));
  }
  findings = std::move(out);
}

}  // namespace

void foldWholeFiles(const std::vector<const RulePage*>& rules, std::vector<LintedFile>& files) {
  std::set<std::string> wide;
  for (auto* page : rules)
    if (std::find(page->tags.begin(), page->tags.end(), "whole-file") != page->tags.end())
      wide.insert(page->id);
  for (auto& file : files) fold(wide, file.findings);
}

}  // namespace kadvise

#include "analyzer/rule_selection.h"

#include <algorithm>

namespace kadvise {
namespace {

bool covers(const std::string& selector, const std::string& id) {
  return id == selector || id.rfind(selector + "/", 0) == 0;
}

bool anyCovers(const std::vector<std::string>& selectors, const std::string& id) {
  return std::any_of(selectors.begin(), selectors.end(), [&](auto& s) { return covers(s, id); });
}

void requireKnown(const Catalogue& book, const std::vector<std::string>& selectors, const char* option) {
  for (auto& s : selectors)
    if (std::none_of(book.pages.begin(), book.pages.end(), [&](auto& p) { return covers(s, p.id); }))
      throw Error(option, "\"" + s + "\" is neither a rule nor a category; `kadvise rules list` shows them");
}

}  // namespace

std::vector<std::filesystem::path> ruleFolders(const Installation& installation,
                                               const std::vector<std::filesystem::path>& own) {
  std::vector<std::filesystem::path> folders = own;
  if (!installation.rules.empty()) folders.insert(folders.begin(), installation.rules);
  if (folders.empty())
    throw Error("rules", "no rule pages were found beside kadvise; name a folder with --rules");
  return folders;
}

std::vector<const RulePage*> selectRules(const Catalogue& book, const std::vector<std::string>& select,
                                         const std::vector<std::string>& ignore) {
  requireKnown(book, select, "--select");
  requireKnown(book, ignore, "--ignore");
  std::vector<const RulePage*> out;
  for (auto& page : book.pages)
    if ((select.empty() || anyCovers(select, page.id)) && !anyCovers(ignore, page.id)) out.push_back(&page);
  return out;
}

}  // namespace kadvise

#include "analyzer/rule_selection.h"

#include <algorithm>
#include <functional>

#include "analyzer/core/nearest.h"
#include "analyzer/lint/unused_suppression.h"

namespace kadvise {
namespace {

void requireKnown(const Catalogue& book, const std::string& s, const std::string& place) {
  if (!namesRules(book, s))
    throw Error(place, "\"" + s + "\" is neither a rule nor a category; " + remedyFor(book, s));
}

}  // namespace

void requireRules(const Catalogue& book, const std::vector<std::string>& selectors,
                  const std::string& place) {
  for (auto& s : selectors) requireKnown(book, s, place);
}

bool namesRules(const Catalogue& book, const std::string& s) {
  return namesUnusedSuppression(s) ||
         std::any_of(book.pages.begin(), book.pages.end(), [&](auto& p) { return selectorCovers(s, p.id); });
}

// A misspelt id or category, or an id without its category.
std::string remedyFor(const Catalogue& book, const std::string& s) {
  std::vector<std::string> ids = {kUnusedSuppression};
  for (auto& p : book.pages) {
    if (p.id.starts_with(s + "/")) return "it is a category, of which `kadvise rules list` shows the rules";
    if (p.id.ends_with("/" + s)) return "did you mean \"" + p.id + "\"?";
    ids.push_back(p.id);
    ids.push_back(p.id.substr(0, p.id.find('/')));
  }
  auto nearest = nearestOf(s, ids);
  return nearest.empty() ? "`kadvise rules list` shows them" : "did you mean \"" + nearest + "\"?";
}

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
  for (auto& s : select) requireKnown(book, s, "--select");
  for (auto& s : ignore) requireKnown(book, s, "--ignore");
  std::vector<const RulePage*> out;
  for (auto& page : book.pages)
    if ((select.empty() || anyCovers(select, page.id)) && !anyCovers(ignore, page.id)) out.push_back(&page);
  return out;
}

std::vector<std::string> selectOfFile(const Catalogue& book, const Configuration& file, bool isLint) {
  bool namesOwn = std::any_of(book.pages.begin(), book.pages.end(), [&](auto& page) {
    return page.readsModules() != isLint && anyCovers(file.select, page.id);
  });
  return namesOwn ? file.select : std::vector<std::string>{};
}

std::vector<const RulePage*> rulesOfRun(const Catalogue& book, const AssistantOptions& options) {
  const Configuration& file = options.configuration;
  if (options.mostNear > 0)
    for (auto& s : options.select) requireKnown(book, s, "why-not");
  for (auto& [rule, at] : file.named) requireKnown(book, rule, at);
  auto overModules = [](auto* page) { return page->readsModules(); };
  if (!options.select.empty()) {
    auto out = selectRules(book, options.select, options.ignore);
    std::erase_if(out, std::not_fn(overModules));
    return out;
  }
  auto out = selectRules(book, selectOfFile(book, file, /*isLint=*/false),
                         options.ignore.empty() ? file.ignore : options.ignore);
  std::erase_if(
      out, [&](auto* page) { return !overModules(page) || !severityOf(file, page->id, page->severity); });
  return out;
}

}  // namespace kadvise

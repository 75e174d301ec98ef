#include "analyzer/lint/unused_suppression.h"

#include <algorithm>

#include "analyzer/core/configuration.h"
#include "analyzer/core/glob.h"
#include "analyzer/core/hash.h"
#include "analyzer/core/nearest.h"

namespace kadvise {
namespace {

std::vector<std::string> idsOf(const Catalogue& book) {
  std::vector<std::string> out = {kUnusedSuppression};
  for (auto& page : book.pages) out.push_back(page.id);
  return out;
}

std::string unknownWords(const std::string& selector, const std::vector<std::string>& ids) {
  std::string near = nearestOf(selector, ids);
  return "no rule is called " + selector + (near.empty() ? "" : ": did you mean " + near + "?");
}

// "": all rules.
bool isMeant(const std::string& selector, const std::string& rule) {
  return selector.empty() || selectorCovers(selector, rule) || pathMatches(selector, rule);
}

// Rules that a run without a selection looks for, of those that are meant: where fewer were, the others may
// need the comment.
int expectedOf(const std::string& selector, const Catalogue& book) {
  return static_cast<int>(std::count_if(book.pages.begin(), book.pages.end(), [&](auto& page) {
    return isMeant(selector, page.id) && page.readsSources() && !page.isOff && page.id != selector;
  }));
}

}  // namespace

bool namesUnusedSuppression(const std::string& selector) {
  return selectorCovers(selector, kUnusedSuppression);
}

std::vector<std::string> withoutUnusedSuppression(std::vector<std::string> selectors) {
  std::erase_if(selectors, namesUnusedSuppression);
  return selectors;
}

UnusedChoice unusedChoiceOf(const AssistantOptions& options) {
  auto& file = options.configuration;
  auto& ignore = options.ignore.empty() ? file.ignore : options.ignore;
  bool isOff = options.select.empty() && !severityOf(file, kUnusedSuppression, Severity::Note);
  bool isAlone = !options.select.empty() && withoutUnusedSuppression(options.select).empty();
  return {!anyCovers(ignore, kUnusedSuppression) && !isOff, isAlone};
}

std::optional<Finding> unusedSuppression(const std::string& path, const Json& unused, const Catalogue& book) {
  std::string selector = unused.at("selector").get<std::string>();
  auto ids = idsOf(book);
  bool isKnown = std::any_of(ids.begin(), ids.end(), [&](auto& id) { return isMeant(selector, id); });
  int ran = unused.at("ran").get<int>();
  if (ran < expectedOf(selector, book) || (ran == 0 && isKnown)) return std::nullopt;
  Finding f;
  f.rule = kUnusedSuppression;
  f.message = unused.at("unclosed").get<bool>()
                  ? "NOLINTBEGIN without NOLINTEND of the same names: nothing is suppressed"
              : ran == 0         ? unknownWords(selector, ids)
              : selector.empty() ? "nothing is suppressed here"
                                 : "nothing of " + selector + " is suppressed here";
  f.severity = Severity::Note;
  f.confidence = "certain";
  f.where.file = path;
  f.where.line = unused.at("line").get<int>();
  f.where.column = 1;
  f.id = stableHash(f.rule + path + selector);
  return f;
}

}  // namespace kadvise

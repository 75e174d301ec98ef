// How the set of replacements was chosen.
#include <fmt/format.h>

#include <algorithm>

#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

// "items 1, 3": as the rest of the report calls them. Those of `set` that are not among `others`.
std::string itemsOnlyIn(const Ids& set, const Ids& others, const std::vector<Advice>& advice) {
  std::vector<std::size_t> numbers;
  for (auto& a : advice) {
    auto& id = a.candidate->id;
    bool isOnlyHere = std::find(set.begin(), set.end(), id) != set.end() &&
                      std::find(others.begin(), others.end(), id) == others.end();
    if (isOnlyHere) numbers.push_back(a.number);
  }
  if (numbers.empty()) return "";
  return (numbers.size() == 1 ? "item " : "items ") + fmt::format("{}", fmt::join(numbers, ", "));
}

// " (without item 3; with item 5)"
std::string differenceWords(const SearchStep& s, const std::vector<Advice>& advice) {
  if (s.against.empty()) return "";
  std::string without = itemsOnlyIn(s.against, s.set, advice), with = itemsOnlyIn(s.set, s.against, advice);
  if (!without.empty()) without = "without " + without;
  if (!with.empty()) with = (without.empty() ? "with " : "; with ") + with;
  return without.empty() && with.empty() ? "" : " (" + without + with + ")";
}

std::string figureWords(const Report& r, const SearchStep& s) {
  auto words = isCredible(r, s.speedup) ? speedupWords(s.speedup) : "";
  if (words.empty()) return "";
  return ": " + words + (s.against.empty() ? " against the original" : " against the set so far");
}

}  // namespace

void writeSearch(TextPage& page, const std::vector<Advice>& advice) {
  const Report& r = page.report;
  if (r.search.empty()) return;
  page.layout.heading("What was tried together");
  for (auto& s : r.search)
    page.layout.paragraph("- " + s.tried + differenceWords(s, advice) + figureWords(r, s) + "; " + s.decision,
                          2, kIndent);
}

}  // namespace kadvise

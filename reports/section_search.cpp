// How the set of replacements was chosen.
#include <fmt/format.h>

#include <algorithm>

#include "reports/advice_words.h"
#include "reports/headline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

using Ids = std::vector<std::string>;

bool contains(const Ids& ids, const std::string& id) {
  return std::find(ids.begin(), ids.end(), id) != ids.end();
}

Ids idsOf(const Item& item) {
  Ids out = {item.advice.candidate->id};
  for (auto* more : {&item.others, &item.further})
    for (auto& a : *more) out.push_back(a.candidate->id);
  return out;
}

// The numbers of items, as the rest of the report calls them, by what a set has of them and another has not.
struct Difference {
  std::vector<std::size_t> whole, part, another;  // another: one proposal of the item in place of another one
};

Difference onlyIn(const Ids& set, const Ids& others, const std::vector<Item>& items) {
  Difference out;
  for (auto& item : items) {
    bool isOnlyHere = false, isOnlyThere = false, isShared = false;
    for (auto& id : idsOf(item)) {
      bool here = contains(set, id), there = contains(others, id);
      isOnlyHere |= here && !there;
      isOnlyThere |= there && !here;
      isShared |= here && there;
    }
    if (!isOnlyHere) continue;
    (isOnlyThere ? out.another : isShared ? out.part : out.whole).push_back(item.advice.number);
  }
  return out;
}

// "items 1, 3"
std::string itemWords(const std::vector<std::size_t>& numbers) {
  return (numbers.size() == 1 ? "item " : "items ") + fmt::format("{}", fmt::join(numbers, ", "));
}

// Of the same set in another order: "item 3 before the others".
std::string firstWords(const SearchStep& s, const std::vector<Item>& items) {
  if (s.set.empty() || s.set.front() == s.against.front()) return "";
  auto it = std::find_if(items.begin(), items.end(),
                         [&](auto& item) { return contains(idsOf(item), s.set.front()); });
  return it == items.end() ? "" : fmt::format("item {} before the others", it->advice.number);
}

// " (without item 3; with item 5)"
std::string differenceWords(const SearchStep& s, const std::vector<Item>& items) {
  if (s.against.empty()) return "";
  Difference without = onlyIn(s.against, s.set, items), with = onlyIn(s.set, s.against, items);
  std::string out;
  auto add = [&out](const std::string& what, const std::vector<std::size_t>& numbers) {
    if (!numbers.empty()) out += (out.empty() ? "" : "; ") + what + itemWords(numbers);
  };
  add("without ", without.whole);
  add("without a part of ", without.part);
  add("with ", with.whole);
  add("with more of ", with.part);
  add("with another proposal of ", with.another);
  if (out.empty()) out = firstWords(s, items);
  return out.empty() ? "" : " (" + out + ")";
}

std::string figureWords(const Report& r, const SearchStep& s) {
  auto words = isCredible(r, s.speedup) ? speedupWords(s.speedup) : "";
  if (words.empty()) return "";
  if (!s.against.empty()) return ": " + words + " against the set so far";
  // The headline is with them.
  bool isCaptured = r.cudaGraph && r.cudaGraph->status == GraphStatus::Applied;
  return ": " + words + " against the original" + (isCaptured ? ", both without CUDA graphs" : "");
}

}  // namespace

void writeSearch(TextPage& page, const std::vector<Item>& items) {
  const Report& r = page.report;
  if (r.search.empty()) return;
  page.layout.heading("What was tried together");
  // Factors of the run that gave no clear result would look sure here.
  if (r.whole.outcome == Outcome::Ambiguous)
    page.layout.paragraph("factors not trusted: " + doubtWords(r.whole), 2, kIndent);
  for (auto& s : r.search)
    page.layout.paragraph("- " + s.tried + differenceWords(s, items) + figureWords(r, s) + "; " + s.decision,
                          2, kIndent);
}

}  // namespace kadvise

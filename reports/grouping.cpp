#include "reports/grouping.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "reports/sections.h"

namespace kadvise {
namespace {

bool isForTheSamePlaces(const Advice& a, const Advice& b) {
  auto &x = a.candidate->findings, &y = b.candidate->findings;
  return a.finding && b.finding && x.size() == y.size() && std::is_permutation(x.begin(), x.end(), y.begin());
}

bool isSameLine(const Location& a, const Location& b) {
  if (a.line != b.line || a.file != b.file) return false;
  return a.line > 0 ? withoutNumbers(a.scope) == withoutNumbers(b.scope) : a.scope == b.scope;
}

// What an item says of the two differs in figures alone.
bool readsTheSame(const Advice& a, const Advice& b) {
  auto &x = *a.candidate, &y = *b.candidate;
  return a.standing == b.standing && a.finding && b.finding && a.finding->message == b.finding->message &&
         isSameLine(a.finding->where, b.finding->where) &&
         std::tie(x.rule, x.title, x.level, x.exactness, x.domain) ==
             std::tie(y.rule, y.title, y.level, y.exactness, y.domain);
}

// What is in the optimised module speaks for the item, whatever else was left open for its places.
void addAlternative(Item& item, Advice other) {
  if (other.sitesApplied && !item.advice.sitesApplied) {
    std::swap(item.advice, other);
    std::swap(item.advice.rival, other.rival);
    std::swap(item.advice.sharedSites, other.sharedSites);
    std::swap(item.advice.isAlternative, other.isAlternative);
  }
  item.others.push_back(std::move(other));
}

}  // namespace

std::vector<Item> groupedAdvice(const Report& report) {
  std::vector<Item> items;
  std::map<std::size_t, std::size_t> numbers;  // of the ranking -> of the item
  for (auto& a : rankedAdvice(report)) {
    auto same = std::find_if(items.begin(), items.end(),
                             [&](auto& item) { return isForTheSamePlaces(item.advice, a); });
    auto alike =
        std::find_if(items.begin(), items.end(), [&](auto& item) { return readsTheSame(item.advice, a); });
    auto at = same != items.end() ? same : alike;
    numbers[a.number] = at == items.end() ? items.size() + 1 : at->advice.number;
    Advice numbered = a;
    numbered.number = numbers[a.number];
    numbered.rival = a.rival ? numbers[a.rival] : 0;
    if (at == items.end()) items.push_back({numbered, {}, {}});
    else if (same == items.end()) at->further.push_back(numbered);
    else addAlternative(*at, numbered);
  }
  return items;
}

std::vector<Advice> proposalsOf(const Item& item) {
  std::vector<Advice> out = {item.advice};
  for (auto* more : {&item.further, &item.others}) out.insert(out.end(), more->begin(), more->end());
  return out;
}

std::vector<Advice> allOf(const std::vector<Item>& items) {
  std::vector<Advice> out;
  for (auto& item : items) {
    auto proposals = proposalsOf(item);
    out.insert(out.end(), proposals.begin(), proposals.end());
  }
  return out;
}

}  // namespace kadvise

#include "reports/item_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "reports/advice_words.h"
#include "reports/baseline.h"
#include "reports/sections.h"

namespace kadvise {
namespace {

// "the second of this item"
std::string ordinalWords(std::size_t index) {
  constexpr const char* kOrdinals[] = {"first", "second", "third", "fourth"};
  auto ordinal =
      index < std::size(kOrdinals) ? std::string(kOrdinals[index]) : fmt::format("{}th", index + 1);
  return "the " + ordinal + " of this item";
}

void nameAs(const std::string& words, const Advice& a, std::string& text) {
  std::string id = "(" + a.candidate->id + ")";
  if (auto at = text.find(id); at != std::string::npos) text.replace(at, id.size(), "(" + words + ")");
}

std::string sectionOf(const Report& report, const std::string& rule, const char* name) {
  auto text = report.rules.find(rule);
  if (text == report.rules.end()) return "";
  auto section = text->second.sections.find(name);
  return section == text->second.sections.end() ? "" : section->second;
}

// How one of the proposals under an item ended.
std::string endedWords(const Report& r, const Advice& a, const std::vector<Advice>& all, const Item& own) {
  if (a.standing == Standing::Advised) return measuredWords(r, a);
  if (a.standing == Standing::PartOfAnother) return withItemNumbers(a.verdict->reason, all, own);
  if (a.standing != Standing::NotMeasured) return withItemNumbers(whyNotUsed(r, a), all, own);
  auto why = whyNotMeasured(r, a);
  return why.empty() ? estimateWords(a.finding, a.candidate->findings.size()) : why;
}

}  // namespace

std::string partsWords(const Advice& a, const std::vector<Advice>& all) {
  auto& mine = a.candidate->parts;
  std::size_t parts = 0, used = 0;
  for (auto& other : all) {
    if (other.standing != Standing::PartOfAnother) continue;
    if (std::find(mine.begin(), mine.end(), other.candidate->id) == mine.end()) continue;
    ++parts, used += other.sitesApplied > 0;
  }
  if (parts == 0) return "";
  return fmt::format("takes in {} for places inside it{}, not measured by {}", plural(parts, "proposal"),
                     used && used < parts ? fmt::format(" ({} of them used)", used) : "",
                     parts == 1 ? "itself" : "themselves");
}

std::string howToWrite(const Report& report, const std::string& rule) {
  return sectionOf(report, rule, "What to write instead");
}

std::string howToWriteInCpp(const Report& report, const std::string& rule) {
  return sectionOf(report, rule, "In C++");
}

std::string rivalWords(const Advice& a) {
  if (!a.rival) return "";
  std::string out = fmt::format("{} item {}", a.isAlternative ? "instead of" : "overlaps", a.rival);
  std::size_t all = a.candidate->findings.size();
  if (a.isAlternative && a.sharedSites == all) return out + ", for the same places";
  return out + fmt::format(" at {} of its {}", a.sharedSites, plural(all, "place"));
}

std::string enablerWords(const Advice& a, const std::vector<Advice>& all) {
  auto& follows = a.candidate->follows;
  std::set<std::size_t> numbers;
  for (auto& other : all)
    if (std::find(follows.begin(), follows.end(), other.candidate->id) != follows.end())
      numbers.insert(other.number);
  if (numbers.empty()) return "";
  return fmt::format("its places are made by item {}", fmt::join(numbers, ", item "));
}

std::string sitesTakenWords(const Advice& a) {
  std::size_t all = a.candidate->findings.size();
  if (!a.sitesApplied || a.sitesApplied >= all) return "";
  return fmt::format("used at {} of {}; other items took the rest", a.sitesApplied, plural(all, "place"));
}

std::string withItemNumbers(std::string text, const std::vector<Advice>& advice) {
  for (auto& a : advice) nameAs(fmt::format("item {}", a.number), a, text);
  return text;
}

std::string withItemNumbers(std::string text, const std::vector<Advice>& advice, const Item& own) {
  auto proposals = proposalsOf(own);
  for (std::size_t i = 0; i < proposals.size(); ++i) nameAs(ordinalWords(i), proposals[i], text);
  return withItemNumbers(std::move(text), advice);
}

std::string replacementWords(const Candidate& c) {
  return fmt::format("{} (level {}, {})", c.title, c.level, word(c.exactness));
}

std::vector<std::string> otherProposals(const Report& r, const Item& item, const std::vector<Advice>& all) {
  std::vector<std::string> out;
  auto add = [&](const std::string& what, const Advice& a) {
    auto words = endedWords(r, a, all, item);
    out.push_back(what + (words.empty() ? "" : ": " + words));
  };
  for (auto& a : item.further)
    add("and at " + plural(a.candidate->findings.size(), "site") + " there, of another form", a);
  for (auto& a : item.others) {
    auto& c = *a.candidate;
    std::string differs = c.domain.empty() ? "" : "; declared difference: " + c.domain;
    add(fmt::format("or with: {} (level {}, {}{})", c.title, c.level, word(c.exactness), differs), a);
  }
  return out;
}

bool isKnownItem(const Report& r, const Item& item) {
  auto known = [&](const Advice& a) {
    auto& findings = a.candidate->findings;
    return !findings.empty() &&
           std::all_of(findings.begin(), findings.end(), [&](auto& f) { return isKnown(r, f); });
  };
  return known(item.advice) && std::all_of(item.further.begin(), item.further.end(), known);
}

}  // namespace kadvise

#include "reports/found_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <map>
#include <string_view>

namespace kadvise {
namespace {

constexpr std::string_view kBefore = " (and ",
                           kBehind = " more of the kind)";  // "… (and 18 more of the kind)"

// What they are about is decided by values that are read elsewhere, and those places are related to it too.
constexpr std::string_view kDecidedByReads[] = {"graph-break/assert-on-data", "graph-break/bound-from-data",
                                                "graph-break/branch-on-data", "graph-break/loop-on-data"};

// What is related are the operators of one place.
constexpr std::string_view kOnePlace[] = {"memory/recomputed-from-shapes"};

template <std::size_t N>
bool isAnyOf(const std::string& rule, const std::string_view (&rules)[N]) {
  return std::find(std::begin(rules), std::end(rules), rule) != std::end(rules);
}

// Where the count of a message begins; npos where it has none.
std::size_t countAt(const std::string& message) {
  return message.ends_with(kBehind) ? message.rfind(kBefore) : std::string::npos;
}

}  // namespace

std::size_t sitesOf(const Finding& f) {
  if (isAnyOf(f.rule, kOnePlace)) return 1;
  if (!isAnyOf(f.rule, kDecidedByReads)) return 1 + f.related.size();
  std::size_t more = 0;
  if (auto at = countAt(f.message); at != std::string::npos)
    std::from_chars(f.message.data() + at + kBefore.size(), f.message.data() + f.message.size(), more);
  return 1 + more;
}

std::vector<FoundRow> foundRows(const std::vector<const Finding*>& findings) {
  std::vector<FoundRow> rows;
  std::map<std::string, std::size_t> known;
  for (auto* f : findings) {
    auto key = fmt::format("{}\n{}:{}\n{}", f->rule, f->where.file, f->where.line, f->message);
    auto [it, added] = known.emplace(key, rows.size());
    if (added) rows.push_back({f, 0, {}});
    rows[it->second].sites += sitesOf(*f);
    rows[it->second].ids.push_back(f->id);
  }
  return rows;
}

std::string messageOf(const FoundRow& row) {
  auto& message = row.first->message;
  return row.sites > 1 ? message.substr(0, countAt(message)) : message;
}

}  // namespace kadvise

#include "reports/found_rows.h"

#include <fmt/format.h>

#include <map>

namespace kadvise {

std::vector<FoundRow> foundRows(const std::vector<const Finding*>& findings) {
  std::vector<FoundRow> rows;
  std::map<std::string, std::size_t> known;
  for (auto* f : findings) {
    auto key = fmt::format("{}\n{}:{}\n{}", f->rule, f->where.file, f->where.line, f->message);
    auto [it, added] = known.emplace(key, rows.size());
    if (added) rows.push_back({f, 0, {}});
    rows[it->second].sites += 1 + f->related.size();
    rows[it->second].ids.push_back(f->id);
  }
  return rows;
}

std::string messageOf(const FoundRow& row) {
  auto& message = row.first->message;  // "… (and 18 more of the kind)"
  auto at = message.rfind(" (and ");
  bool isCounted = at != std::string::npos && message.ends_with(" more of the kind)");
  return row.sites > 1 && isCounted ? message.substr(0, at) : message;
}

}  // namespace kadvise

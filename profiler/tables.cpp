#include "profiler/tables.h"

#include <algorithm>
#include <map>

namespace kadvise {
namespace {

// Rows in the order of first sight, so that equal times keep the order of the program.
template <class Row>
class Table {
 public:
  template <class Make>
  Row& at(const std::string& key, Make make) {
    auto [known, isNew] = index_.emplace(key, rows_.size());
    if (isNew) rows_.push_back(make());
    return rows_[known->second];
  }
  std::vector<Row> byTime(double totalUs) {
    for (Row& row : rows_) row.share = totalUs > 0 ? row.us / totalUs : 0;
    std::stable_sort(rows_.begin(), rows_.end(), [](const Row& a, const Row& b) { return a.us > b.us; });
    return std::move(rows_);
  }

 private:
  std::map<std::string, std::size_t> index_;
  std::vector<Row> rows_;
};

std::string sizesOf(const KernelRow& k) {
  std::string out;
  for (int n : k.grid) out += std::to_string(n) + ",";
  for (int n : k.block) out += std::to_string(n) + ",";
  return out;
}

void addTime(TimeRow& row, const Spent& s) {
  ++row.calls;
  row.us += s.us;
}

void addLaunch(KernelRow& row, const Spent& s) {
  ++row.launches;
  row.us += s.us;
  if (s.us <= row.longestUs) return;
  row.longestUs = s.us;
  row.op = s.op;
  row.where = s.where;
}

std::string lineName(const Location& where) {
  return where.file.empty() ? kUnknown : where.file + ":" + std::to_string(where.line);
}

double shareWhere(const std::vector<Spent>& spent, double totalUs, bool (*holds)(const Spent&)) {
  double us = 0;
  for (const Spent& s : spent)
    if (holds(s)) us += s.us;
  return totalUs > 0 ? us / totalUs : 0;
}

}  // namespace

void addTables(ProfileView& view, const std::vector<Spent>& spent) {
  Table<KernelRow> kernels;
  Table<TimeRow> operators, modules, lines;
  double totalUs = 0;
  for (const Spent& s : spent) {
    totalUs += s.us;
    if (s.kernel)
      addLaunch(kernels.at(s.kernel->name + sizesOf(*s.kernel),
                           [&] {
                             KernelRow row = *s.kernel;
                             row.launches = 0, row.us = row.longestUs = 0;
                             return row;
                           }),
                s);
    auto op = s.op.empty() ? std::string(kUnknown) : s.op;
    addTime(operators.at(op, [&] { return TimeRow{op, {}}; }), s);
    auto scope = s.isPlaced ? s.where.scope : std::string(kUnknown);
    addTime(modules.at(scope, [&] { return TimeRow{scope, {}}; }), s);
    auto line = lineName(s.where);
    addTime(lines.at(line,
                     [&] {
                       TimeRow row{line, s.where};
                       row.where.scope.clear();
                       return row;
                     }),
            s);
  }
  view.kernels = kernels.byTime(totalUs);
  view.operators = operators.byTime(totalUs);
  view.modules = modules.byTime(totalUs);
  view.lines = lines.byTime(totalUs);
  if (!view.attribution) return;
  view.attribution->toOperator = shareWhere(spent, totalUs, [](const Spent& s) { return !s.op.empty(); });
  view.attribution->toModule =
      shareWhere(spent, totalUs, [](const Spent& s) { return !s.op.empty() && s.isPlaced; });
  view.attribution->toLine =
      shareWhere(spent, totalUs, [](const Spent& s) { return s.isPlaced && !s.where.file.empty(); });
}

}  // namespace kadvise

#include "profiler/tables.h"

#include <algorithm>
#include <map>

#include "analyzer/core/profile_words.h"

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
  if (!s.place) return;
  row.op = s.place->op;
  row.where = s.place->where;
}

Location whereOf(const Spent& s) { return s.place ? s.place->where : Location{}; }

std::string operatorName(const Spent& s) { return s.place ? s.place->op : kUnknownPlace; }

std::string moduleName(const Spent& s) {
  return s.place && s.place->isKnown ? s.place->where.scope : kUnknownPlace;
}

std::string lineName(const Spent& s) {
  auto where = whereOf(s);
  return where.file.empty() ? kUnknownPlace : where.file + ":" + std::to_string(where.line);
}

bool hasOperator(const Spent& s) { return s.place != nullptr; }
bool hasModule(const Spent& s) { return s.place && s.place->isKnown; }
bool hasLine(const Spent& s) { return hasModule(s) && !s.place->where.file.empty(); }

double shareWhere(const std::vector<Spent>& spent, double totalUs, bool (*holds)(const Spent&)) {
  double us = 0;
  for (const Spent& s : spent)
    if (holds(s)) us += s.us;
  return totalUs > 0 ? us / totalUs : 0;
}

KernelRow emptyRow(KernelRow row) {
  row.launches = 0;
  row.us = row.longestUs = 0;
  return row;
}

TimeRow lineRow(const std::string& name, const Spent& s) {
  TimeRow row{name, whereOf(s)};
  row.where.scope.clear();  // the line may run in many modules
  return row;
}

}  // namespace

void addTables(ProfileView& view, const std::vector<Spent>& spent) {
  Table<KernelRow> kernels;
  Table<TimeRow> operators, modules, lines;
  double totalUs = 0;
  for (const Spent& s : spent) {
    totalUs += s.us;
    if (s.kernel)
      addLaunch(kernels.at(s.kernel->name + sizesOf(*s.kernel), [&] { return emptyRow(*s.kernel); }), s);
    auto op = operatorName(s), scope = moduleName(s), line = lineName(s);
    addTime(operators.at(op, [&] { return TimeRow{op, {}}; }), s);
    addTime(modules.at(scope, [&] { return TimeRow{scope, {}}; }), s);
    addTime(lines.at(line, [&] { return lineRow(line, s); }), s);
  }
  view.kernels = kernels.byTime(totalUs);
  view.operators = operators.byTime(totalUs);
  view.modules = modules.byTime(totalUs);
  view.lines = lines.byTime(totalUs);
  if (!view.attribution) return;
  view.attribution->toOperator = shareWhere(spent, totalUs, hasOperator);
  view.attribution->toModule = shareWhere(spent, totalUs, hasModule);
  view.attribution->toLine = shareWhere(spent, totalUs, hasLine);
}

}  // namespace kadvise

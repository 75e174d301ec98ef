#include "profiler/case_table.h"

namespace kadvise {

void CaseTable::add(const Case& c, const std::string& output, Grade grade, const MostErrors& most,
                    const Errors& e) {
  CaseErrors& row = rowOf(c);
  double ofBound = shareOf(most, e);
  if (!row.output.empty() && ofBound < row.ofBound) return;
  row.output = output, row.grade = word(grade), row.unjudged.clear(), row.ofBound = ofBound;
  row.rmsUlp = e.rmsUlp, row.p999Ulp = e.p999Ulp, row.maxUlp = e.maxUlp;
  row.rmsBound = most.rmsUlp, row.p999Bound = most.p999Ulp, row.maxBound = most.maxUlp;
}

void CaseTable::addEqual(const Case& c) {
  CaseErrors& row = rowOf(c);
  if (row.grade.empty()) row.grade = word(Grade::Bitwise);
}

void CaseTable::addUnjudged(const Case& c, const std::string& why) {
  CaseErrors& row = rowOf(c);
  if (row.grade.empty()) row.unjudged = why;
}

CaseErrors& CaseTable::rowOf(const Case& c) {
  for (CaseErrors& known : rows_)
    if (known.name == c.name) return known;
  rows_.emplace_back().name = c.name;
  return rows_.back();
}

}  // namespace kadvise

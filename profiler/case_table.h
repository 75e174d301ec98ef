// What the judge of outputs saw of each case of inputs, a row each, for whoever reads the report.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/case_errors.h"
#include "profiler/accuracy.h"
#include "profiler/cases.h"

namespace kadvise {

class CaseTable {
 public:
  // One output of the case; the row keeps the one that came nearest to its bound.
  void add(const Case&, const std::string& output, Grade, const MostErrors&, const Errors&);
  // All that could be compared in the case was equal, bit by bit.
  void addEqual(const Case&);
  void addUnjudged(const Case&, const std::string& why);

  const std::vector<CaseErrors>& rows() const { return rows_; }  // in the order in which they were judged

 private:
  CaseErrors& rowOf(const Case&);  // a case that is judged again keeps its row
  std::vector<CaseErrors> rows_;
};

}  // namespace kadvise

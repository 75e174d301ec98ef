// The errors by case of every comparison of a run. Some of them are made again, or tried and given up: in the
// end each verdict of the report gets those that it speaks of.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace kadvise {

class CaseErrorLog {
 public:
  void add(const std::string& candidate, std::vector<CaseErrors>);
  void tell(Report&) const;  // fills caseErrors, for the verdicts and the whole

 private:
  struct Entry {
    std::string candidate;
    std::vector<CaseErrors> cases;
  };
  const Entry* entryOf(const Verdict&) const;
  std::vector<Entry> entries_;  // in order of time
};

}  // namespace kadvise

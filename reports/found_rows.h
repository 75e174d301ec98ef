// Findings that nothing is proposed for: equal layers have equal ones, so they are one row, with how many.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace kadvise {

struct FoundRow {
  const Finding* first;
  std::size_t sites;
  std::vector<std::string> ids;
};

// At how many places the finding is true. Of a branch or a size that data decide the message has the count:
// where the data are read is related to it too.
std::size_t sitesOf(const Finding&);

std::vector<FoundRow> foundRows(const std::vector<const Finding*>&);

// Without the count that a single finding's message ends with: the line of the place says how many.
std::string messageOf(const FoundRow&);

}  // namespace kadvise

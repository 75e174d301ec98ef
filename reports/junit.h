// The report for the gate of a continuous build: a test case for each finding, failed where --fail-on counts
// it.
#pragma once

#include <optional>
#include <string>

#include "reports/report.h"

namespace kadvise {

// What makes the exit code 1.
struct Gate {
  std::optional<Severity> failOn;  // findings of this severity
  bool isRegression = false;       // any regression of a comparison
};

bool fails(const Gate&, const Report&, const Finding&);

std::string renderJUnit(const Report&, const Gate&);

}  // namespace kadvise

// What is said of a lint run as a whole, in every form of it.
#pragma once

#include <string>
#include <vector>

#include "reports/lint_report.h"

namespace kadvise {

// "3 findings in 2 files, 1 fixable with --fix"
std::string lintSummary(const LintReport&);

// What was seen less well than it could have been, so that silence is not taken for praise. The one of errors
// comes first.
struct LintLimit {
  std::string text;
  bool isOfErrors = false;
};
std::vector<LintLimit> lintLimits(const LintReport&);

// What could not be done, but for files that were not read: those say so themselves.
std::vector<const Diagnostic*> errorsOfNoFile(const LintReport&);

}  // namespace kadvise

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

// Of at most that many files with errors the first one: "a.cu:3: expected expression"; then how many are
// left.
std::vector<std::string> firstErrors(const LintReport&, std::size_t mostFiles);

// What could not be done, but for files that were not read: those say so themselves.
std::vector<const Diagnostic*> errorsOfNoFile(const LintReport&);

}  // namespace kadvise

// Applying what findings propose.
#pragma once

#include <string>
#include <vector>

#include "analyzer/lint/lint_session.h"
#include "reports/lint_report.h"

namespace kadvise {

// Applies the fixes of the files, looks at the texts again, and goes on while that brings further ones. A
// fix with which a text has more errors than before is left out. With --diff nothing is written. results, to
// which the policy was applied, and texts become those after it; a file that cannot be written is one of the
// errors.
void applyFixes(LintSession&, std::vector<LintSubject>& subjects, std::vector<LintedFile>& results,
                LintReport&);

}  // namespace kadvise

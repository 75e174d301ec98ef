// What a project does everywhere or nowhere is one finding a file: pages with the tag "whole-file".
#pragma once

#include <vector>

#include "analyzer/core/rule_page.h"
#include "reports/lint_report.h"

namespace kadvise {

// Behind the policy: a baseline knows the place in each function, and new ones are not hidden by old ones.
void foldWholeFiles(const std::vector<const RulePage*>&, std::vector<LintedFile>&);

}  // namespace kadvise

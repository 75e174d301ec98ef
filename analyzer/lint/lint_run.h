// A run of `kadvise lint`: which files, which rules, what is known already, and what the engines say of the
// rest.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/lint/lint_options.h"
#include "reports/lint_report.h"

namespace kadvise {

// Of AssistantOptions the rules, their selection, the configuration, the baseline, the engines and the limits
// count. Throws Error for what is wrong before a file is read, and Interrupted.
LintReport lint(const LintOptions&, const AssistantOptions&);

// The rules over sources that the options choose: those that are off only where they are named by their id.
std::vector<const RulePage*> rulesOfLint(const Catalogue&, const LintOptions&, const AssistantOptions&);

}  // namespace kadvise

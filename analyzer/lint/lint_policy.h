// What kadvise.toml and the baseline make of findings in sources.
#pragma once

#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/lint/lint_options.h"
#include "reports/lint_report.h"

namespace kadvise {

// Names findings as the project knows them; severities and ignores by path of the configuration; what the
// baseline knows is counted and taken out, and what is said of comments where that is not wanted.
void applyLintPolicy(const AssistantOptions&, std::vector<LintedFile>&);

// Writes the findings as such a baseline, with those that are known. Throws Error.
void writeLintBaseline(const AssistantOptions&, const std::filesystem::path&, const std::vector<LintedFile>&);

}  // namespace kadvise

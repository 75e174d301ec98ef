// What kadvise-source is told once, before any file.
#pragma once

#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/core/rule_page.h"
#include "analyzer/installation.h"
#include "analyzer/lint/lint_options.h"

namespace kadvise {

// Arguments of the verb prepare. Throws Error when headers that are asked for are not there.
Json prepareArguments(const LintOptions&, const Installation&, const std::vector<const RulePage*>& rules);

}  // namespace kadvise

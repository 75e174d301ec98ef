// Rules that no matcher can say: one function each, named by the page's "function". The list is explicit.
#pragma once

#include <string>

#include "analyzer/core/rule_page.h"
#include "analyzer/source/analyses.h"
#include "analyzer/source/findings.h"

namespace kadvise::source {

using CodedRule = void (*)(Analyses&, const RulePage&, Findings&);

CodedRule codedRule(const std::string& function);  // null when there is none

}  // namespace kadvise::source

// The report as Markdown, as GitHub shows it: for a pull request, an issue or a step summary.
#pragma once

#include <string>

#include "reports/report.h"

namespace kadvise {

std::string renderMarkdown(const Report&);

// So that a name of the model is text, whatever is in it.
std::string escapedForMarkdown(const std::string&);

}  // namespace kadvise

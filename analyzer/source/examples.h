// A page's own examples in C++: what fires must, at the lines marked "// <- found", what is silent must be,
// and a fixed text is what the edits make of the one that fires.
#pragma once

#include "analyzer/core/json.h"
#include "analyzer/source/lint_file.h"

namespace kadvise::source {

// {"examples": [{"rule", "name", "ok", "what"}]}; a page that is wrong is one failed example.
Json checkPages(const std::vector<std::string>& pages, const LintSettings&);

}  // namespace kadvise::source

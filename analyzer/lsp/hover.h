// What the editor shows where the pointer rests, in Markdown.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/catalogue.h"
#include "analyzer/lsp/model_reports.h"
#include "analyzer/lsp/shown.h"

namespace kadvise::lsp {

std::string ruleMarkdown(const RulePage&);
// Of an id, a category or a pattern of one, as comments name them; "" where it is no rule's.
std::string selectorMarkdown(const std::string& selector, const Catalogue&);
// The findings at the place, each with its rule, its estimate and what was last measured of it. For clients
// that know no Markdown what is said of them stays as it is.
std::string findingsMarkdown(const std::vector<Shown>&, Position, const Catalogue&, const ModelReports&,
                             bool isMarkdown);

}  // namespace kadvise::lsp

// --select and --ignore over the rule book.
#pragma once

#include <string>
#include <vector>

#include "analyzer/core/catalogue.h"
#include "analyzer/installation.h"

namespace kadvise {

// The bundled folder and the user's own; throws Error when there is none at all.
std::vector<std::filesystem::path> ruleFolders(const Installation&,
                                               const std::vector<std::filesystem::path>& own);

// A selector is an id ("fusion/add-layer-norm") or a category ("fusion"). An empty select means all.
// Throws Error for a selector that names no rule.
std::vector<const RulePage*> selectRules(const Catalogue&, const std::vector<std::string>& select,
                                         const std::vector<std::string>& ignore);

}  // namespace kadvise

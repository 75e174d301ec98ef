// --select and --ignore over the rule book.
#pragma once

#include <string>
#include <vector>

#include "analyzer/assistant.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/installation.h"

namespace kadvise {

// The bundled folder and the user's own; throws Error when there is none at all.
std::vector<std::filesystem::path> ruleFolders(const Installation&,
                                               const std::vector<std::filesystem::path>& own);

// What to do about an id or a category that names nothing: the nearest one, or where they are listed.
std::string remedyFor(const Catalogue&, const std::string& selector);

// Whether it is an id or a category of the book.
bool namesRules(const Catalogue&, const std::string& selector);

// Throws Error{place, …} for a selector that names no rule.
void requireRules(const Catalogue&, const std::vector<std::string>& selectors, const std::string& place);

// A selector is an id ("fusion/add-layer-norm") or a category ("fusion"). An empty select means all.
// Throws Error for a selector that names no rule.
std::vector<const RulePage*> selectRules(const Catalogue&, const std::vector<std::string>& select,
                                         const std::vector<std::string>& ignore);

// What kadvise.toml selects for lint, or for runs over modules: nothing, that is all, where it names no rule
// that lint alone has, or none over modules. A project that selects "fusion" has not turned its lint off.
std::vector<std::string> selectOfFile(const Catalogue&, const Configuration&, bool isLint);

// The same of a run: the configuration's select and ignore stand in where the options have none, and rules
// that it turns off are left out. Where the options select, nothing of the configuration takes rules away.
// Throws Error too where the configuration names no rule.
std::vector<const RulePage*> rulesOfRun(const Catalogue&, const AssistantOptions&);

}  // namespace kadvise

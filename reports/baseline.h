// The file of --baseline: findings that are known and do not count, as sorted JSON that reads well in a diff.
#pragma once

#include <string>
#include <vector>

#include "reports/report.h"

namespace kadvise {

// Throws Error when the file is no baseline of kadvise.
std::vector<BaselineEntry> readBaseline(const std::string& path);

// The text of the file: this run's findings that count or are known, beside the entries of other modules.
std::string baselineText(const Report&, const std::vector<BaselineEntry>& before);

// The same of entries that somebody else made, sorted here.
std::string baselineText(std::vector<BaselineEntry>);

// What the entries say of this run. A finding is known by its id, whatever the module's file is called. An
// entry is fixed when it is of this module, and its rule was run (ranRules) and no longer finds it.
BaselineUse useBaseline(const Report&, const std::vector<BaselineEntry>&,
                        const std::vector<std::string>& ranRules);

bool isKnown(const Report&, const std::string& finding);
const Suppressed* suppressionOf(const Report&, const std::string& finding);  // null for none

// Whether --fail-on counts the finding: it is neither known nor suppressed, and of the user's own module.
// What a later round of matching finds depends on what was measured to be kept, which may differ between two
// runs.
bool counts(const Report&, const Finding&);

}  // namespace kadvise

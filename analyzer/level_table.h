// `kadvise levels`: one module at each level of optimisation that exists.
#pragma once

#include "analyzer/assistant.h"

namespace kadvise {

// Report::levels has a row for each, also for those that cannot be had, with the reason. Throws Error for
// what is wrong before an engine starts.
Report levelsOf(const AssistantOptions&, const Subject&);

}  // namespace kadvise

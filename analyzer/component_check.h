// One module against the promises of its kind, by kadvise-measure's verb `component`.
#pragma once

#include <string>

#include "analyzer/assistant.h"

namespace kadvise {

// Throws Error for a kind that does not exist and for what is wrong before the engine starts; what goes wrong
// later is in the report's errors.
Report examineComponent(const AssistantOptions&, const Subject&, const std::string& kind, int heads);

}  // namespace kadvise

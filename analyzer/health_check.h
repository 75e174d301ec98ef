// `kadvise doctor`: what of this machine and installation works, what does not, and the remedy.
#pragma once

#include "analyzer/assistant.h"

namespace kadvise {

// Report::health has the lines. Never throws for what is missing: that is a line.
Report checkHealth(const AssistantOptions&);

// Whether advice can be had here at all, on a CPU at least.
bool isUsable(const std::vector<HealthLine>&);

}  // namespace kadvise

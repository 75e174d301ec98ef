// What can be known to be wrong with a subject before any engine starts.
#pragma once

#include "analyzer/assistant.h"

namespace kadvise {

// The same subject; throws Error with the remedy.
Subject checked(const Subject&);
// What to do where inputs do not fit an exported program, as the end of that sentence: its forward has no
// lists.
std::string flatInputsRemedy(bool hasSamples);
// That the module can be written there later, without writing anything now.
void checkOutput(const Subject&, const std::filesystem::path& output);

}  // namespace kadvise

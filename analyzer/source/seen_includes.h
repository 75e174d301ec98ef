// Which headers a file reads, and which are not there.
#pragma once

#include <memory>
#include <string>

#include "analyzer/source/parse.h"

namespace kadvise::source {

// Fills missing, searched and dependencies of the outcome, which must outlive it. ours: the folder of our own
// headers, which change with the program only.
std::unique_ptr<clang::PPCallbacks> seenIncludes(clang::CompilerInstance&, ParseOutcome&, std::string ours);

}  // namespace kadvise::source

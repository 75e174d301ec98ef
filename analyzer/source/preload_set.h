// Which headers may be read ahead of a file: those that it includes itself, in a few sets, so that one
// precompiled header serves many files and no file gets names that it did not ask for.
#pragma once

#include <optional>
#include <string>

#include "analyzer/source/arguments.h"

namespace kadvise::source {

// The text of the header to precompile for the file; nullopt where none fits: its build's own folders stand
// before ours, or nothing would be gained.
std::optional<std::string> preloadFor(const ParseRequest&, const ClangArguments&);

}  // namespace kadvise::source

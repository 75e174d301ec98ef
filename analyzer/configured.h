// kadvise.toml under the command line.
#pragma once

#include "analyzer/options.h"

namespace kadvise {

// Reads --config FILE, or the nearest kadvise.toml unless --no-config is given, and takes from it what the
// command line does not say. Throws Error.
void applyConfiguration(CommandLine&);

}  // namespace kadvise

// Where a user's programs keep what they can make again.
#pragma once

#include <filesystem>

namespace kadvise {

// $KADVISE_CACHE_DIR, else $XDG_CACHE_HOME/kadvise, else ~/.cache/kadvise, as the kernels have it; "" for
// none, also where KADVISE_CACHE_DIR is empty.
std::filesystem::path userCacheFolder();

// The folder in it for the precompiled headers of kadvise-source; absolute, "" for none.
std::filesystem::path preloadFolder();

}  // namespace kadvise

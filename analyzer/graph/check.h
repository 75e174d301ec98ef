// A page's own examples and proofs: what `kadvise rules test` runs.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/core/channel.h"

namespace kadvise::graph {

// For each page: compiles it, runs its `fires` and `silent` functions, and writes a pair of modules for each
// pattern, replacement and case, which kadvise-measure then compares in every dtype of the page. Returns the
// body of `checked`.
Json checkPages(const std::vector<std::string>& pages, const std::filesystem::path& workDir,
                const std::string& device, const Replies&);

}  // namespace kadvise::graph

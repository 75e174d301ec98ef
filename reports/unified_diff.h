// Two texts as `diff -u` shows them.
#pragma once

#include <string>

namespace kadvise {

// "" for equal texts. path: as it stands in the two header lines.
std::string unifiedDiff(const std::string& path, const std::string& before, const std::string& after);

}  // namespace kadvise

// "did you mean": the known word that is closest to a misspelt one.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kadvise {

// "" when none is close: more than a third of the letters would have to change.
std::string nearestOf(std::string_view word, const std::vector<std::string>& known);

}  // namespace kadvise

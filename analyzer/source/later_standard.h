// Whether a text is written in a later C++ than the one that is taken where no build says which.
#pragma once

#include <string>

namespace kadvise::source {

bool looksLikeCxx20(const std::string& text);

}  // namespace kadvise::source

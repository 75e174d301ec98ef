// JSON that others wrote. The library reads and frees it in loops, but copies, converts and prints it by
// recursion: what is nested a hundred thousand deep would use up the stack.
#pragma once

#include <string>
#include <string_view>

#include "analyzer/core/json.h"

namespace kadvise {

// Deeper than anything that kadvise writes or reads.
bool isNestedTooDeeply(std::string_view json);

// Discarded, which is neither object nor array, where the text is no JSON or is nested too deeply.
Json parseForeign(const std::string& text);

}  // namespace kadvise

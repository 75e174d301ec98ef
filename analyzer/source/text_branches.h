// What the preprocessor chooses between, as text: the tree holds only what it chose.
#pragma once

#include <cstddef>
#include <string_view>

namespace kadvise::source {

// Whether the offset lies in a branch of an #if that has another one, and the word is anywhere in that #if.
bool isInBranchesWith(std::string_view text, std::size_t offset, std::string_view word);

}  // namespace kadvise::source

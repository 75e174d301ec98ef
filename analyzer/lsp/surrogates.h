// Halves of UTF-16 pairs in JSON.
#pragma once

#include <string>

namespace kadvise::lsp {

// JSON's escapes may name half of a pair alone, as editors written in JavaScript do for such a text; UTF-8
// has none. Each becomes U+FFFD, which is one unit of UTF-16 too, so that places stay what they are.
std::string withoutLoneSurrogates(std::string json);

}  // namespace kadvise::lsp

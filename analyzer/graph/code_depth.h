// How deep the expressions of an archive's code are: LibTorch's parser and compiler call themselves at each
// level, and a stack that is used up ends the process.
#pragma once

#include <string_view>

namespace kadvise::graph {

// Whether brackets, operators in a row or blocks are deeper than any printed module has them.
bool isTooDeep(std::string_view code);

}  // namespace kadvise::graph

// The #include lines of a text, read without a preprocessor.
#pragma once

#include <cstddef>
#include <string_view>
#include <vector>

namespace kadvise::source {

struct IncludeLine {
  std::size_t offset = 0;  // of the "#"
  std::string_view name;   // between the quotes or brackets
};

std::vector<IncludeLine> includeLines(std::string_view text);

}  // namespace kadvise::source

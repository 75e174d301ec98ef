#include "analyzer/source/include_lines.h"

namespace kadvise::source {

std::vector<IncludeLine> includeLines(std::string_view text) {
  std::vector<IncludeLine> out;
  for (std::size_t at = 0; (at = text.find('#', at)) != std::string_view::npos; ++at) {
    std::size_t word = text.find_first_not_of(" \t", at + 1);
    if (word == std::string_view::npos || text.compare(word, 7, "include") != 0) continue;
    std::size_t open = text.find_first_not_of(" \t", word + 7);
    if (open == std::string_view::npos || (text[open] != '<' && text[open] != '"')) continue;
    std::size_t close = text.find_first_of(">\"\n", open + 1);
    if (close != std::string_view::npos) out.push_back({at, text.substr(open + 1, close - open - 1)});
  }
  return out;
}

}  // namespace kadvise::source

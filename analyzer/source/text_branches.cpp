#include "analyzer/source/text_branches.h"

#include <algorithm>
#include <vector>

namespace kadvise::source {
namespace {

// "if", "else" and the like of a line that is a directive, else "".
std::string_view directiveOf(std::string_view line) {
  auto skipBlanks = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
  skipBlanks();
  if (!line.starts_with('#')) return {};
  line.remove_prefix(1);
  skipBlanks();
  return line.substr(0, line.find_first_not_of("abcdefghijklmnopqrstuvwxyz"));
}

struct Group {
  std::size_t begin = 0;
  bool hasOther = false;  // an #else or #elif of its own
};

}  // namespace

bool isInBranchesWith(std::string_view text, std::size_t offset, std::string_view word) {
  std::vector<Group> open;
  for (std::size_t at = 0; at < text.size();) {
    std::size_t end = std::min(text.find('\n', at), text.size());
    auto directive = directiveOf(text.substr(at, end - at));
    if (directive.starts_with("if")) {
      open.push_back({at, false});
    } else if (directive.starts_with("el") && !open.empty()) {
      open.back().hasOther = true;
    } else if (directive == "endif" && !open.empty()) {
      auto group = open.back();
      open.pop_back();
      bool isAround = group.begin <= offset && offset < end;
      if (isAround && group.hasOther && text.substr(group.begin, end - group.begin).find(word) != text.npos)
        return true;
    }
    at = end + 1;
  }
  return false;
}

}  // namespace kadvise::source

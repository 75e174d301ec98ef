#include "profiler/source_place.h"

#include <algorithm>
#include <charconv>

namespace kadvise {
namespace {

std::string lastParts(const std::string& file) {
  std::size_t at = file.size();
  for (int parts = 0; parts < 3 && at != std::string::npos && at > 0; ++parts) at = file.rfind('/', at - 1);
  return at == std::string::npos || at == 0 ? file : file.substr(at + 1);
}

}  // namespace

bool isUsersFile(const std::string& file) {
  return file.rfind("torch/", 0) != 0 && file.find("/torch/nn/") == std::string::npos &&
         file.find("/torch/jit/") == std::string::npos &&
         file.find("/torch/functional") == std::string::npos && file.find("/torch/_") == std::string::npos;
}

std::optional<Location> usersFrameIn(std::string_view stack) {
  while (!stack.empty()) {
    std::string_view frame = stack.substr(0, stack.find('\n'));
    stack.remove_prefix(std::min(stack.size(), frame.size() + 1));
    auto close = frame.find("): "), open = close == std::string_view::npos ? close : frame.rfind('(', close);
    if (open == std::string_view::npos || open == 0) continue;
    int line = 0;
    auto [end, error] = std::from_chars(frame.data() + open + 1, frame.data() + close, line);
    std::string file(frame.substr(0, open));
    if (error != std::errc() || end != frame.data() + close || line < 1 || file[0] == '<' ||
        !isUsersFile(file))
      continue;
    Location out;
    out.file = lastParts(file);
    out.line = line;
    return out;
  }
  return std::nullopt;
}

std::optional<Location> placeOf(const torch::jit::SourceRange& given) {
  auto range = given;
  if (!range.source()) return std::nullopt;
  if (auto original = range.findSourceRangeThatGenerated()) range = *original;
  auto place = range.file_line_col();
  if (!place) return std::nullopt;
  auto [file, line, column] = *place;
  // "code/…" is the archive's own text, "<…>" was never a file.
  if (line == 0 || file.empty() || file[0] == '<' || file.rfind("code/", 0) == 0) return std::nullopt;
  if (!isUsersFile(file))
    if (auto frame = usersFrameIn(range.source()->text_str().str())) return frame;
  Location out;
  out.file = isUsersFile(file) ? lastParts(file) : file;
  out.line = static_cast<int>(line);
  out.column = static_cast<int>(column) + (column > 0 ? 1 : 0);  // traces know no column
  return out;
}

}  // namespace kadvise

#include "profiler/source_place.h"

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

std::optional<Location> placeOf(const torch::jit::SourceRange& given) {
  auto range = given;
  if (!range.source()) return std::nullopt;
  if (auto original = range.findSourceRangeThatGenerated()) range = *original;
  auto place = range.file_line_col();
  if (!place) return std::nullopt;
  auto [file, line, column] = *place;
  // "code/…" is the archive's own text, "<…>" was never a file.
  if (line == 0 || file.empty() || file[0] == '<' || file.rfind("code/", 0) == 0) return std::nullopt;
  Location out;
  out.file = isUsersFile(file) ? lastParts(file) : file;
  out.line = static_cast<int>(line);
  out.column = static_cast<int>(column) + (column > 0 ? 1 : 0);  // traces know no column
  return out;
}

}  // namespace kadvise

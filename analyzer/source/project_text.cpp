#include "analyzer/source/project_text.h"

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise::source {

std::string projectText(const std::filesystem::path& file, std::size_t limitBytes) {
  std::error_code ec;
  if (!std::filesystem::is_regular_file(file, ec)) return "";
  try {
    return readFile(file, limitBytes);
  } catch (const Error&) {
    return "";
  }
}

std::string AskedFiles::textOf(const std::filesystem::path& file, std::size_t limitBytes) {
  note(file);
  return projectText(file, limitBytes);
}

void AskedFiles::note(const std::filesystem::path& file) {
  std::error_code ec;
  (std::filesystem::is_regular_file(file, ec) ? there : searched).push_back(file);
}

}  // namespace kadvise::source

#include "analyzer/lint/project_name.h"

#include <system_error>

namespace kadvise {
namespace fs = std::filesystem;
namespace {

fs::path repositoryOf(const fs::path& folder) {
  std::error_code ec;
  for (fs::path at = folder;; at = at.parent_path()) {
    if (fs::exists(at / ".git", ec)) return at;
    if (at == at.parent_path()) return {};
  }
}

}  // namespace

std::string nameInProject(const std::string& file, const fs::path& configuration) {
  fs::path whole = fs::absolute(file).lexically_normal();
  fs::path project = configuration.empty() ? repositoryOf(whole.parent_path())
                                           : fs::absolute(configuration).lexically_normal().parent_path();
  if (project.empty()) return file;
  std::string name = whole.lexically_relative(project).string();
  return name.empty() || name.rfind("..", 0) == 0 ? file : name;
}

}  // namespace kadvise

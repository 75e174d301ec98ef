#include "analyzer/lint/source_files.h"

#include <unistd.h>

#include <algorithm>
#include <set>
#include <system_error>

#include "analyzer/core/glob.h"

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr const char* kExtensions[] = {".cu", ".cuh", ".cpp", ".cc",  ".cxx",
                                       ".h",  ".hh",  ".hpp", ".hxx", ".inl"};
// Folders of what others wrote, or programs made.
constexpr const char* kNeverSources[] = {"build",       "node_modules", "site-packages",
                                         "__pycache__", "third_party",  "venv"};

// What lies in it is not seen, and the search would say nothing of that.
bool isLocked(const fs::path& folder) { return ::access(folder.c_str(), R_OK | X_OK) != 0; }

struct Search {
  const std::vector<std::string>& exclude;
  const fs::path& excludeFrom;
  SourceFiles& out;
  std::set<std::string> taken = {};

  bool isExcluded(const fs::path& path) const { return kadvise::isExcluded(path, exclude, excludeFrom); }

  void take(const fs::path& file) {
    std::string name = file.lexically_normal().string();
    if (taken.insert(fs::absolute(file).lexically_normal().string()).second) out.files.push_back(name);
  }

  void searchFolder(const fs::path& folder) {
    if (isLocked(folder)) return out.locked.push_back(folder.string());
    std::error_code ec;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied, ec), end;
    for (; !ec && at != end; at.increment(ec)) {
      auto& path = at->path();
      if (at->is_symlink(ec)) continue;  // it would lead in circles, or to a file that is found anyway
      if (at->is_directory(ec)) {
        bool skip = isFolderWithoutSources(path) || isExcluded(path);
        if (!skip && isLocked(path)) skip = true, out.passed.push_back(path.lexically_normal().string());
        if (skip) at.disable_recursion_pending();
      } else if (isSourceName(path)) {
        if (isExcluded(path)) ++out.excluded;
        else take(path);
      }
    }
  }
};

}  // namespace

bool isSourceName(const fs::path& file) {
  auto extension = file.extension();
  return std::any_of(std::begin(kExtensions), std::end(kExtensions), [&](auto* e) { return extension == e; });
}

bool isFolderWithoutSources(const fs::path& folder) {
  std::string name = folder.filename().string();
  if (name.size() > 1 && name[0] == '.' && name != "..") return true;
  return std::any_of(std::begin(kNeverSources), std::end(kNeverSources), [&](auto* n) { return name == n; });
}

bool isExcluded(const fs::path& path, const std::vector<std::string>& exclude, const fs::path& excludeFrom) {
  if (exclude.empty()) return false;
  fs::path absolute = fs::absolute(path).lexically_normal();
  fs::path relative = absolute.lexically_relative(excludeFrom.empty() ? fs::current_path() : excludeFrom);
  bool inside = !relative.empty() && *relative.begin() != "..";
  return std::any_of(exclude.begin(), exclude.end(), [&](auto& pattern) {
    return pathMatches(pattern, path.lexically_normal().string()) ||
           (inside && pathMatches(pattern, relative.string()));
  });
}

SourceFiles findSources(const LintOptions& options, const std::vector<std::string>& exclude,
                        const fs::path& excludeFrom) {
  SourceFiles out;
  Search search{exclude, excludeFrom, out};
  auto paths = options.paths;
  if (paths.empty()) paths.push_back(".");
  for (auto& path : paths) {
    std::error_code ec;
    if (fs::is_directory(path, ec)) search.searchFolder(path);
    else if (!fs::exists(path, ec)) out.missing.push_back(path);
    else if (options.forceExclude && search.isExcluded(path)) ++out.excluded;
    else search.take(path), out.named.insert(fs::path(path).lexically_normal().string());
  }
  std::sort(out.files.begin(), out.files.end());
  return out;
}

}  // namespace kadvise

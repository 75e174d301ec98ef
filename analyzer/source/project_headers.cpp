#include "analyzer/source/project_headers.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <system_error>
#include <utility>

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr int kMostFoldersAbove = 8;
constexpr std::size_t kMostEntries = 20000;
constexpr auto kFresh = std::chrono::seconds(10);  // an editor's session lives for hours
constexpr const char* kExtensions[] = {".h", ".hh", ".hpp", ".hxx", ".cuh", ".inl", ".inc"};
// What stands at the top of a project that is no clone.
constexpr const char* kMarks[] = {"pyproject.toml", "setup.py",   "CMakeLists.txt", "LICENSE",
                                  "LICENSE.txt",    "LICENSE.md", "COPYING",        "README.md",
                                  "README.rst",     "README",     "README.txt",     ".gitignore",
                                  "Makefile",       "WORKSPACE",  "meson.build"};

// By the name of the file.
using Headers = std::multimap<std::string, fs::path>;

bool isHeader(const fs::path& file) {
  auto extension = file.extension();
  return std::any_of(std::begin(kExtensions), std::end(kExtensions), [&](auto* e) { return extension == e; });
}

// From the top: of a clone it is the only one, else each folder that looks like one.
std::vector<fs::path> projectsOf(const fs::path& file) {
  std::error_code ec;
  std::vector<fs::path> out;
  fs::path at = file.parent_path();
  for (int up = 0; up < kMostFoldersAbove && at.has_relative_path(); ++up, at = at.parent_path()) {
    if (fs::exists(at / ".git", ec)) return {at};
    if (std::any_of(std::begin(kMarks), std::end(kMarks), [&](auto* m) { return fs::exists(at / m, ec); }))
      out.insert(out.begin(), at);
  }
  return out;
}

Headers headersWithin(const fs::path& project) {
  std::error_code ec;
  Headers out;
  std::size_t seen = 0;
  auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator at(project, options, ec), end; !ec && at != end; at.increment(ec)) {
    // With a part of them alone, one of several would look like the only one.
    if (++seen > kMostEntries) return {};
    auto& path = at->path();
    std::error_code none;
    if (path.filename().string().starts_with(".")) at.disable_recursion_pending();
    else if (isHeader(path) && at->is_regular_file(none)) out.emplace(path.filename().string(), path);
  }
  return out;
}

const Headers& headersOf(const fs::path& project) {
  using Clock = std::chrono::steady_clock;
  static std::map<fs::path, std::pair<Clock::time_point, Headers>> known;
  auto& [time, headers] = known[project];
  auto now = Clock::now();
  if (time == Clock::time_point() || now - time > kFresh) headers = headersWithin(project), time = now;
  return headers;
}

int commonParts(const fs::path& a, const fs::path& b) {
  auto ends = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
  return static_cast<int>(std::distance(a.begin(), ends.first));
}

// The path without the name at its end; "" when it does not end so.
fs::path folderBefore(const fs::path& path, const fs::path& name) {
  fs::path folder = path, rest = name;
  while (!rest.empty()) {
    if (folder.filename() != rest.filename()) return {};
    folder = folder.parent_path(), rest = rest.parent_path();
  }
  return folder;
}

// "" when it is nowhere, or in several places.
fs::path folderOf(const Headers& headers, const fs::path& file, const fs::path& name) {
  fs::path out;
  int nearest = 0;
  bool isOne = false;
  auto [at, end] = headers.equal_range(name.filename().string());
  for (; at != end; ++at) {
    fs::path folder = folderBefore(at->second, name);
    if (folder.empty()) continue;
    int common = commonParts(at->second, file);
    if (common > nearest) nearest = common, out = folder, isOne = true;
    else if (common == nearest) isOne = false;
  }
  return isOne ? out : fs::path();
}

}  // namespace

fs::path projectOf(const fs::path& file) {
  auto all = projectsOf(file);
  return all.empty() ? fs::path() : all.front();
}

std::vector<fs::path> foldersOfHeaders(const fs::path& named, const std::vector<std::string>& names) {
  fs::path file = fs::absolute(named).lexically_normal();
  const Headers* found = nullptr;
  // A folder of many projects may bear a mark, too, and be too large.
  for (auto& project : projectsOf(file))
    if (found = &headersOf(project); !found->empty()) break;
  if (!found) return {};
  auto& headers = *found;
  std::vector<fs::path> out;
  for (auto& n : names) {
    fs::path name = fs::path(n).lexically_normal();
    if (name.is_absolute() || name.begin() == name.end() || *name.begin() == "..") continue;
    fs::path folder = folderOf(headers, file, name);
    if (!folder.empty() && std::find(out.begin(), out.end(), folder) == out.end()) out.push_back(folder);
  }
  return out;
}

}  // namespace kadvise::source

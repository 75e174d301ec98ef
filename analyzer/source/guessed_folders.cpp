#include "analyzer/source/guessed_folders.h"

#include <algorithm>
#include <system_error>

namespace kadvise::source {
namespace fs = std::filesystem;
namespace {

constexpr int kMostFoldersAbove = 8, kMostIncludedProjects = 64;
constexpr std::size_t kMostPlaces = 2048;
// Where headers of a project begin (the second is CUTLASS's), and where it keeps those of others.
constexpr const char* kHeaderFolders[] = {"include", "tools/util/include", "src", "common", "Common"};
constexpr const char* kFoldersOfOthers[] = {"3rdparty", "third_party", "thirdparty", "external", "extern"};
constexpr const char* kHeaderFoldersOfOthers[] = {"include", "tools/util/include"};

std::vector<fs::path> foldersAbove(const fs::path& file) {
  std::error_code ec;
  std::vector<fs::path> out;
  for (fs::path at = file.parent_path(); out.size() < kMostFoldersAbove; at = at.parent_path()) {
    out.push_back(at);
    if (fs::exists(at / ".git", ec) || at == at.parent_path()) break;
  }
  return out;
}

// 3rdparty/cutlass/include, behind all others.
void addProjectsWithin(const fs::path& folder, std::vector<GuessedFolder>& out) {
  std::error_code ec;
  std::vector<fs::path> found;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end && found.size() < kMostIncludedProjects;
       at.increment(ec))
    for (auto* name : kHeaderFoldersOfOthers) {
      std::error_code none;
      if (fs::is_directory(at->path() / name, none)) found.push_back(at->path() / name);
    }
  std::sort(found.begin(), found.end());
  for (auto& one : found) out.push_back({one, false});
}

// That have no headers yet.
std::vector<fs::path> emptyProjectsWithin(const fs::path& folder) {
  std::error_code ec;
  std::vector<fs::path> out;
  for (fs::directory_iterator at(folder, ec), end; !ec && at != end && out.size() < kMostIncludedProjects;
       at.increment(ec)) {
    std::error_code none;
    if (fs::is_empty(at->path(), none) && fs::is_directory(at->path(), none)) out.push_back(at->path());
  }
  return out;
}

// Folders that are not there, from one above the file on.
std::vector<fs::path> foldersToCome(const fs::path& above, const fs::path& header) {
  std::error_code ec;
  std::vector<fs::path> out;
  auto add = [&](const fs::path& folder) {
    if (!fs::exists(folder, ec)) out.push_back(folder);
  };
  for (auto* name : kHeaderFolders) add(above / name);
  for (auto* name : kFoldersOfOthers) {
    auto projects = emptyProjectsWithin(above / name);
    if (header.has_parent_path()) projects.push_back(above / name / *header.begin());
    for (auto& project : projects)
      for (auto* inner : kHeaderFoldersOfOthers) add(project / inner);
  }
  return out;
}

}  // namespace

std::vector<GuessedFolder> guessedFolders(const fs::path& file) {
  std::error_code ec;
  std::vector<GuessedFolder> out;
  for (auto& at : foldersAbove(file)) {
    out.push_back({at});
    for (auto* name : kHeaderFolders)
      if (fs::is_directory(at / name, ec)) out.push_back({at / name});
    for (auto* name : kFoldersOfOthers) addProjectsWithin(at / name, out);
  }
  return out;
}

std::vector<std::string> placesToCome(const fs::path& file, const std::vector<std::string>& headers) {
  std::vector<std::string> out;
  for (auto& above : foldersAbove(file))
    for (auto& name : headers) {
      fs::path header = fs::path(name).lexically_normal();
      if (header.is_absolute() || header.empty() || *header.begin() == "..") continue;
      for (auto& folder : foldersToCome(above, header))
        if (out.size() < kMostPlaces) out.push_back((folder / header).string());
    }
  return out;
}

}  // namespace kadvise::source

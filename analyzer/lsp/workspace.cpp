#include "analyzer/lsp/workspace.h"

#include <algorithm>

#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

bool isBelow(const fs::path& path, const fs::path& folder) {
  auto differ = std::mismatch(folder.begin(), folder.end(), path.begin(), path.end());
  return differ.first == folder.end();
}

}  // namespace

void Workspace::add(const std::string& uri) {
  fs::path path = pathOf(uri);
  if (path.empty()) return;
  if (!path.has_filename()) path = path.parent_path();  // without a slash at its end
  remove(uri);
  folders.push_back({uri, path, settings});
}

void Workspace::remove(const std::string& uri) {
  std::erase_if(folders, [&](auto& f) { return f.uri == uri; });
}

const Folder* Workspace::folderOf(const fs::path& path) const {
  const Folder* out = nullptr;
  for (auto& f : folders)
    if (isBelow(path, f.path) && (!out || isBelow(f.path, out->path))) out = &f;
  return out;
}

const Settings& Workspace::settingsOf(const fs::path& path) const {
  auto* folder = folderOf(path);
  return folder ? folder->settings : settings;
}

fs::path Workspace::baseOf(const fs::path& file) const {
  auto* folder = folderOf(file);
  return folder ? folder->path : file.parent_path();
}

std::vector<fs::path> Workspace::paths() const {
  std::vector<fs::path> out;
  for (auto& f : folders) out.push_back(f.path);
  return out;
}

std::vector<fs::path> Workspace::reportPaths() const {
  std::vector<fs::path> out;
  for (auto& f : folders) {
    if (!f.settings.showsReports) continue;
    for (auto& path : f.settings.reports) out.push_back((f.path / path).lexically_normal());
  }
  return out;
}

}  // namespace kadvise::lsp

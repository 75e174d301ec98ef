// The folders that are open in the editor, with their settings.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "analyzer/lsp/settings.h"

namespace kadvise::lsp {

struct Folder {
  std::string uri;
  std::filesystem::path path;
  Settings settings;
};

struct Workspace {
  std::vector<Folder> folders;
  Settings settings;  // of files outside of all folders, and of folders before theirs have come
  bool isTrusted = true;

  void add(const std::string& uri);
  void remove(const std::string& uri);
  const Folder* folderOf(const std::filesystem::path&) const;  // the innermost; null outside of all
  const Settings& settingsOf(const std::filesystem::path&) const;
  // Relative settings start here: the folder of the workspace, else the file's own.
  std::filesystem::path baseOf(const std::filesystem::path& file) const;
  std::vector<std::filesystem::path> paths() const;  // of the folders
  std::vector<std::filesystem::path> reportPaths() const;
};

}  // namespace kadvise::lsp

// How one file is looked at: by the editor's settings, the nearest kadvise.toml, and what is installed.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "analyzer/assistant.h"
#include "analyzer/core/catalogue.h"
#include "analyzer/installation.h"
#include "analyzer/lsp/settings.h"

namespace kadvise::lsp {

struct FileSetup {
  AssistantOptions assistant;      // of it the configuration, select, ignore and baseline count
  Json fast, full;                 // arguments of `prepare`; full: null where a full look sees no more
  std::filesystem::path database;  // compile_commands.json; "" for none
  bool isExcluded = false;
};

struct SetupPlace {
  const Installation& installation;
  const Catalogue& book;
  std::filesystem::path folder;  // of the workspace, or the file's own
  bool isTrusted = true;
};

// warn is told what is wrong in settings and configuration; the look then goes on without that.
FileSetup setupFor(const std::filesystem::path& file, const Settings&, const SetupPlace&,
                   const std::function<void(const std::string&)>& warn);

// The configuration that holds for files in this folder; "" for none.
std::filesystem::path configurationFor(const std::filesystem::path& folder, const Settings&,
                                       const std::filesystem::path& workspace);

}  // namespace kadvise::lsp

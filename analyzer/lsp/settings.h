// The settings of section "kadvise", see PROTOCOL.md.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "analyzer/core/json.h"

namespace kadvise::lsp {

struct Settings {
  bool enable = true, lintsOnType = true;
  int delayMs = 50, arch = 0;
  std::vector<std::string> select, ignore, extendSelect, exclude;
  std::string configuration, configurationPreference = "editorFirst";
  std::string headers = "auto", toolkit, torch, compileCommands;
  bool showSyntaxErrors = false, fixAll = true, offersFixes = true, offersIgnoring = true;
  bool showsReports = true, seesOtherFiles = true;
  std::vector<std::string> reports = {".kadvise/last.json", ".kadvise/measured.json"};
};

// warn is told of each value that is not what it should be; the default holds there.
Settings settingsFrom(const Json&, const std::function<void(const std::string&)>& warn);

}  // namespace kadvise::lsp

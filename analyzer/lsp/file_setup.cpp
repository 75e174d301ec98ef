#include "analyzer/lsp/file_setup.h"

#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/lint/compile_commands.h"
#include "analyzer/lint/lint_run.h"
#include "analyzer/lint/prepare_arguments.h"
#include "analyzer/lint/source_files.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

using Warn = std::function<void(const std::string&)>;

fs::path below(const fs::path& folder, const std::string& name) {
  return name.empty() ? fs::path() : (folder / name).lexically_normal();
}

void readConfigurationInto(AssistantOptions& out, const fs::path& path, const Warn& warn) {
  if (path.empty()) return;
  try {
    out.configuration = readConfiguration(path);
  } catch (const Error& e) {
    return warn(e.what());
  }
  std::error_code ec;
  auto& baseline = out.configuration.baseline;
  if (!baseline.empty() && fs::exists(baseline, ec)) out.baseline = baseline;
}

void chooseRules(AssistantOptions& out, const Settings& s) {
  bool fileFirst = s.configurationPreference == "filesystemFirst";
  if (!fileFirst || out.configuration.select.empty()) out.select = s.select;
  if (!fileFirst || out.configuration.ignore.empty()) out.ignore = s.ignore;
}

std::vector<const RulePage*> rulesFor(AssistantOptions& assistant, LintOptions& lint, const Catalogue& book,
                                      const Warn& warn) {
  try {
    return rulesOfLint(book, lint, assistant);
  } catch (const Error& e) {
    warn(e.what());
  }
  // A name that is no rule's makes the whole choice void, and nothing else.
  assistant.select.clear(), assistant.ignore.clear(), lint.extendSelect.clear();
  assistant.configuration.select.clear(), assistant.configuration.ignore.clear();
  assistant.configuration.named.clear();
  return rulesOfLint(book, lint, assistant);
}

LintOptions lintOptionsFor(const Settings& s, const SetupPlace& place) {
  LintOptions out;
  out.extendSelect = s.extendSelect;
  out.headers = place.isTrusted ? s.headers : "stub";
  out.toolkit = below(place.folder, s.toolkit), out.torch = below(place.folder, s.torch);
  out.arch = s.arch;
  return out;
}

}  // namespace

fs::path configurationFor(const fs::path& folder, const Settings& s, const fs::path& workspace) {
  if (s.configurationPreference == "editorOnly") return {};
  return s.configuration.empty() ? findConfiguration(folder) : below(workspace, s.configuration);
}

FileSetup setupFor(const fs::path& file, const Settings& s, const SetupPlace& place, const Warn& warn) {
  FileSetup out;
  readConfigurationInto(out.assistant, configurationFor(file.parent_path(), s, place.folder), warn);
  chooseRules(out.assistant, s);
  LintOptions lint = lintOptionsFor(s, place);
  auto rules = rulesFor(out.assistant, lint, place.book, warn);

  auto& configuration = out.assistant.configuration;
  out.isExcluded = isExcluded(file, s.exclude, place.folder) ||
                   isExcluded(file, configuration.exclude, configuration.path.parent_path());
  if (place.isTrusted)
    out.database = s.compileCommands.empty() ? findCompileDatabase(file.parent_path())
                                             : below(place.folder, s.compileCommands);

  LintOptions fast = lint;
  fast.headers = "stub";
  out.fast = prepareArguments(fast, place.installation, rules);
  if (lint.headers == "stub") return out;
  try {
    Json full = prepareArguments(lint, place.installation, rules);
    // The build may name a toolkit that is not found otherwise.
    if (!full.at("toolkit").get_ref<const std::string&>().empty() || !out.database.empty()) out.full = full;
  } catch (const Error& e) {
    warn(e.what());
  }
  return out;
}

}  // namespace kadvise::lsp

// kadvise.server.lintWorkspace: runs of `kadvise lint`, one for all folders that are linted in the same way.
#include <algorithm>
#include <system_error>

#include "analyzer/core/configuration.h"
#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lsp/own_program.h"
#include "analyzer/lsp/server.h"
#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostLintBytes = 64u << 20;

std::string joined(const std::vector<std::string>& words, const char* between = ",") {
  std::string out;
  for (auto& w : words) out += (out.empty() ? "" : between) + w;
  return out;
}

std::string counted(std::size_t n, const char* noun) {
  return std::to_string(n) + " " + noun + (n == 1 ? "" : "s");
}

// "lint.html" of the first run, "lint-2.html" of the second.
fs::path pageOf(const fs::path& page, std::size_t number) {
  if (number == 1) return page;
  auto name = page.stem().string() + "-" + std::to_string(number) + page.extension().string();
  return page.parent_path() / name;
}

}  // namespace

struct Server::LintRun {
  std::vector<std::string> arguments;
  fs::path configuration;
  std::vector<fs::path> folders;
};

// One request: what is still to be run, and what came of the rest.
struct Server::LintErrand {
  std::vector<LintRun> runs;
  std::size_t next = 0, failed = 0, files = 0, findings = 0;
  Json errors = Json::array(), pages = Json::array();
  fs::path page;                          // "": none is wanted
  Json all = {{"files", Json::array()}};  // that is shown once everything is known

  void add(Json& report) {
    files += report.at("files").size();
    for (auto& e : report.at("errors"))
      errors.push_back(e.at("where").get<std::string>() + ": " + e.at("what").get<std::string>());
    for (auto& f : report.at("files")) {
      findings += f.at("findings").size();
      all["files"].push_back(std::move(f));
    }
  }
  // Of the run that is over: the other folders are linted all the same.
  void addFailure(const std::string& output) {
    ++failed;
    std::vector<std::string> folders;
    for (auto& f : runs[next - 1].folders) folders.push_back(f.string());
    errors.push_back(joined(folders, ", ") + ": " +
                     (output.empty() ? "kadvise lint gave no result"
                                     : output.substr(0, output.find_last_not_of('\n') + 1)));
  }
};

std::vector<std::string> Server::lintArguments(const fs::path& folder) const {
  auto& settings = workspace_.settingsOf(folder);
  std::vector<std::string> out = {"lint", "--exit-zero", "--quiet", "--output-format", "json"};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) out.insert(out.end(), {option, value});
  };
  add("--select", joined(settings.select)), add("--ignore", joined(settings.ignore));
  add("--extend-select", joined(settings.extendSelect)), add("--exclude", joined(settings.exclude));
  add("--headers", workspace_.isTrusted ? settings.headers : "stub");
  add("--toolkit", settings.toolkit), add("--torch", settings.torch);
  add("--config", settings.configuration);
  if (workspace_.isTrusted) add("--compile-commands", settings.compileCommands);
  else out.push_back("--no-cache");  // what is not trusted leaves nothing in the user's own folder
  if (settings.arch > 0) add("--arch", std::to_string(settings.arch));
  for (auto& rules : options_.rules) add("--rules", fs::absolute(rules).string());
  if (!options_.engines.empty()) add("--engines", fs::absolute(options_.engines).string());
  if (settings.configurationPreference == "editorOnly") out.push_back("--no-config");
  return out;
}

std::vector<Server::LintRun> Server::lintRunsOf(const std::vector<fs::path>& folders) const {
  std::vector<LintRun> out;
  for (auto& folder : folders) {
    auto& settings = workspace_.settingsOf(folder);
    LintRun run{lintArguments(folder), configurationFor(folder, settings, folder), {folder}};
    // Relative names in settings start at the folder, so folders with any are on their own.
    bool isPlain =
        (settings.toolkit + settings.torch + settings.configuration + settings.compileCommands).empty() &&
        settings.exclude.empty();
    auto same = std::find_if(out.begin(), out.end(), [&](auto& r) {
      return isPlain && r.arguments == run.arguments && r.configuration == run.configuration;
    });
    if (same == out.end()) out.push_back(std::move(run));
    else same->folders.push_back(folder);
  }
  return out;
}

void Server::lintWorkspace(const Json& id, const Json& argument) {
  std::vector<fs::path> folders = workspace_.paths();
  if (argument.contains("folder")) folders = {pathFrom(argument["folder"].get<std::string>())};
  if (folders.empty()) throw Error("lintWorkspace", "no folder is open");
  auto errand = std::make_shared<LintErrand>();
  errand->runs = lintRunsOf(folders);
  if (argument.contains("page")) errand->page = pathFrom(argument["page"].get<std::string>());
  lintNext(id, errand);
}

void Server::lintNext(const Json& id, const std::shared_ptr<LintErrand>& errand) {
  auto& run = errand->runs[errand->next++];
  fs::path file =
      work_.path() / ("lint-" + std::to_string(Clock::now().time_since_epoch().count()) + ".json");
  auto arguments = run.arguments;
  arguments.insert(arguments.end(), {"--output-file", file.string()});
  fs::path page = errand->page.empty() ? fs::path() : pageOf(errand->page, errand->next);
  if (!page.empty()) arguments.insert(arguments.end(), {"--report", page.string()});
  for (auto& folder : run.folders) arguments.push_back(folder.string());
  std::string title = run.folders.size() == 1 ? run.folders.front().filename().string()
                                              : counted(run.folders.size(), "folder");
  errands_.start(
      id, "kadvise lint " + title, kadviseIn(run.folders.front(), arguments),
      [this, id, file, page, errand](const ErrandEnd& end) {
        Json report = Json::parse(fs::exists(file) ? readFile(file, kMostLintBytes) : "", nullptr, false);
        std::error_code ec;
        fs::remove(file, ec);
        if (report.is_discarded()) errand->addFailure(end.output);
        else errand->add(report);
        if (!page.empty() && fs::exists(page, ec)) errand->pages.push_back(page.string());
        if (errand->next < errand->runs.size()) {
          lintNext(id, errand);
          return ErrandAnswer{nullptr, "", "", true};
        }
        if (errand->failed == errand->runs.size())
          return ErrandAnswer{nullptr, joined(errand->errors.get<std::vector<std::string>>(), "\n"), "",
                              false};
        publishLinted(errand->all);
        Json answer = {{"files", errand->files}, {"findings", errand->findings}, {"errors", errand->errors}};
        if (!errand->page.empty()) answer["pages"] = errand->pages;
        return ErrandAnswer{answer, "",
                            counted(errand->findings, "finding") + " in " + counted(errand->files, "file"),
                            false};
      });
}

// Of files that are not open: those that are have their own, of the text as it is in the editor.
void Server::publishLinted(const Json& report) {
  std::erase_if(published_, [&](auto& entry) {
    std::error_code ec;
    if (documents_.find(entry.first) || fs::exists(pathOf(entry.first), ec)) return false;
    client_.notify("textDocument/publishDiagnostics", {{"uri", entry.first}, {"diagnostics", Json::array()}});
    return true;
  });
  for (auto& entry : report.at("files")) {
    auto file = entry.get<LintedFile>();
    fs::path path = fs::path(file.path).lexically_normal();
    std::string uri = uriOf(path);
    if (documents_.findPath(path) || (file.findings.empty() && !published_.count(uri))) continue;
    Json diagnostics = Json::array();
    try {
      Text text(readFile(path, kMostLintBytes));
      DiagnosticPlace place{book_, client_.can, uri, text, others_};
      for (auto& s : shownOf(text, file, false)) diagnostics.push_back(diagnosticOf(s, place));
    } catch (const Error&) {
      // Gone since.
    }
    published_[uri] = true;
    client_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", diagnostics}});
  }
}

}  // namespace kadvise::lsp

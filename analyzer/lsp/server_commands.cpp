// workspace/executeCommand.
#include <algorithm>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lsp/hover.h"
#include "analyzer/lsp/server.h"
#include "analyzer/lsp/uri.h"
#include "reports/text.h"
#include "reports/view.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

constexpr std::size_t kMostLintBytes = 64u << 20;

fs::path ownProgram() { return fs::read_symlink("/proc/self/exe"); }

fs::path pathFrom(const std::string& text) {
  return text.rfind("file:", 0) == 0 ? pathOf(text) : fs::path(text);
}

// This very program, at work in a folder.
Program kadviseIn(const fs::path& folder, const std::vector<std::string>& arguments) {
  Program out("/usr/bin/env");
  out.arguments = {"--chdir=" + folder.string(), ownProgram().string()};
  out.arguments.insert(out.arguments.end(), arguments.begin(), arguments.end());
  return out;
}

std::string lineOf(const std::vector<std::string>& words) {
  std::string out;
  for (auto& w : words) out += (out.empty() ? "" : " ") + shellQuoted(w);
  return out;
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (auto& w : words) out += (out.empty() ? "" : ",") + w;
  return out;
}

}  // namespace

void Server::executeCommand(const Json& id, const Json& params) {
  auto name = params.at("command").get<std::string>();
  Json arguments = params.value("arguments", Json::array());
  Json argument =
      arguments.is_array() && !arguments.empty() && arguments[0].is_object() ? arguments[0] : Json::object();
  if (name == "kadvise.server.lintFile") return lintFile(id, argument);
  if (name == "kadvise.server.lintWorkspace") return lintWorkspace(id, argument);
  if (name == "kadvise.server.showRule") return showRule(id, argument);
  if (name == "kadvise.server.analyseModel") return analyseModel(id, argument);
  if (name == "kadvise.server.measureFix") return measureFix(id, argument);
  if (name == "kadvise.server.reports") return client_.answer(id, reports_.toJson());
  if (name == "kadvise.server.status") return client_.answer(id, status());
  if (name != "kadvise.server.restartParser")
    return client_.refuse(id, ErrorCode::InvalidParams, "there is no command " + name);
  looks_.restart();
  client_.answer(id, nullptr);
}

void Server::lintFile(const Json& id, const Json& argument) {
  auto uri = argument.at("uri").get<std::string>();
  auto* d = documents_.find(uri);
  if (!d) throw Error(uri, "is not open");
  if (!d->isSource) throw Error(uri, "is no source that kadvise lints");
  d->isFull = false;
  looks_.want(*d, 0, true);
  lintRequests_.push_back({id, uri});
}

void Server::showRule(const Json& id, const Json& argument) {
  auto rule = argument.at("rule").get<std::string>();
  auto* page = book_.find(rule);
  if (!page) throw Error(rule, "is not in the rule book");
  std::string uri = uriOf(page->path);
  if (argument.value("open", false) && client_.can.showDocument)
    client_.request("window/showDocument", {{"uri", uri}, {"takeFocus", true}});
  client_.answer(id,
                 {{"rule", rule}, {"title", page->title}, {"uri", uri}, {"markdown", ruleMarkdown(*page)}});
}

// Runs this very program in the folder, or only says how.
void Server::runKadvise(const Json& id, std::vector<std::string> words, const fs::path& folder, bool run) {
  fs::path report = folder / ".kadvise" / "last.json";
  Json answer = {{"command", words}, {"line", lineOf(words)}, {"started", run && workspace_.isTrusted}};
  if (!run || !workspace_.isTrusted) return client_.answer(id, answer);
  std::vector<std::string> arguments(words.begin() + 1, words.end());
  std::string before = stampOf(report);
  errands_.start(id, "kadvise " + lineOf(arguments), kadviseIn(folder, arguments),
                 [this, id, answer, report, before](const ErrandEnd& end) mutable {
                   if (end.isCancelled)
                     return client_.refuse(id, ErrorCode::RequestCancelled, "stopped by the user");
                   answer["exitCode"] = end.exit.signal ? 128 + end.exit.signal : end.exit.code;
                   answer["output"] = end.output;
                   if (stampOf(report) != before) answer["report"] = uriOf(report);
                   refreshReports();
                   client_.answer(id, answer);
                 });
}

void Server::analyseModel(const Json& id, const Json& argument) {
  fs::path model = pathFrom(argument.at("model").get<std::string>());
  if (model.empty()) throw Error("analyseModel", "the model is no file");
  if (model.is_relative() && !workspace_.folders.empty()) model = workspace_.folders.front().path / model;
  fs::path folder = workspace_.baseOf(model.lexically_normal());
  fs::path name = model.lexically_normal().lexically_relative(folder);
  std::vector<std::string> words = {"kadvise", name.empty() ? model.string() : name.string()};
  for (auto& input : argument.value("inputs", std::vector<std::string>()))
    words.insert(words.end(), {"--input", input});
  for (auto& more : argument.value("arguments", std::vector<std::string>())) words.push_back(more);
  runKadvise(id, words, folder, argument.value("run", false));
}

void Server::measureFix(const Json& id, const Json& argument) {
  auto path = pathFrom(argument.at("report").get<std::string>());
  auto* report = reports_.find(path);
  if (!report) throw Error(path.string(), "is no report of this workspace");
  if (report->command.empty()) throw Error(path.string(), "does not say how it was made");
  auto words = commandWordsFor(report->command, argument.at("rule").get<std::string>());
  words.front() = "kadvise";  // whatever program the report names
  runKadvise(id, words, report->folder, argument.value("run", false));
}

void Server::lintWorkspace(const Json& id, const Json& argument) {
  fs::path folder =
      argument.contains("folder") ? pathFrom(argument["folder"].get<std::string>()) : fs::path();
  if (folder.empty() && !workspace_.folders.empty()) folder = workspace_.folders.front().path;
  if (folder.empty()) throw Error("lintWorkspace", "no folder is open");
  auto& settings = workspace_.settingsOf(folder);
  fs::path file =
      work_.path() / ("lint-" + std::to_string(Clock::now().time_since_epoch().count()) + ".json");
  std::vector<std::string> arguments = {"lint", "--exit-zero",   "--quiet",    "--output-format",
                                        "json", "--output-file", file.string()};
  auto add = [&](const char* option, const std::string& value) {
    if (!value.empty()) arguments.insert(arguments.end(), {option, value});
  };
  add("--select", joined(settings.select)), add("--ignore", joined(settings.ignore));
  add("--extend-select", joined(settings.extendSelect)), add("--exclude", joined(settings.exclude));
  add("--headers", workspace_.isTrusted ? settings.headers : "stub");
  add("--toolkit", settings.toolkit), add("--torch", settings.torch);
  add("--config", settings.configuration), add("--engines", options_.engines.string());
  if (settings.configurationPreference == "editorOnly") arguments.push_back("--no-config");
  arguments.push_back(folder.string());
  errands_.start(
      id, "kadvise lint " + folder.filename().string(), kadviseIn(folder, arguments),
      [this, id, file](const ErrandEnd& end) {
        if (end.isCancelled) return client_.refuse(id, ErrorCode::RequestCancelled, "stopped by the user");
        Json report = Json::parse(fs::exists(file) ? readFile(file, kMostLintBytes) : "", nullptr, false);
        std::error_code ec;
        fs::remove(file, ec);
        if (report.is_discarded())
          return client_.refuse(id, ErrorCode::InternalError,
                                end.output.empty() ? "kadvise lint gave no result" : end.output);
        std::size_t findings = 0;
        Json errors = Json::array();
        for (auto& f : report.at("files")) findings += f.at("findings").size();
        for (auto& e : report.at("errors"))
          errors.push_back(e.at("where").get<std::string>() + ": " + e.at("what").get<std::string>());
        publishLinted(report);
        client_.answer(id,
                       {{"files", report.at("files").size()}, {"findings", findings}, {"errors", errors}});
      });
}

// Of files that are not open: those that are have their own, of the text as it is in the editor.
void Server::publishLinted(const Json& report) {
  for (auto& entry : report.at("files")) {
    auto file = entry.get<LintedFile>();
    fs::path path = fs::path(file.path).lexically_normal();
    std::string uri = uriOf(path);
    if (documents_.findPath(path) || (file.findings.empty() && !published_.count(uri))) continue;
    Json diagnostics = Json::array();
    try {
      Text text(readFile(path, kMostLintBytes));
      for (auto& s : shownOf(text, file, false))
        diagnostics.push_back(diagnosticOf(s, book_, client_.can, uri, text));
    } catch (const Error&) {
      // Gone since.
    }
    published_[uri] = true;
    client_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", diagnostics}});
  }
}

}  // namespace kadvise::lsp

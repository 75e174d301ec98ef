// workspace/executeCommand.
#include <algorithm>
#include <system_error>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"
#include "analyzer/lsp/hover.h"
#include "analyzer/lsp/kept_report.h"
#include "analyzer/lsp/own_program.h"
#include "analyzer/lsp/server.h"
#include "analyzer/lsp/uri.h"
#include "reports/text.h"
#include "reports/view.h"

namespace kadvise::lsp {
namespace fs = std::filesystem;
namespace {

// Options that a report may have repeated. It is data of the workspace: what names code to load, or files to
// write, is told to the user and not run.
constexpr const char* kRepeatable[] = {
    "--input",     "--inputs",        "--device",  "--seed",   "--level",  "--allow-approximate",
    "--arch",      "--no-cuda-graph", "--select",  "--ignore", "--budget", "--time-limit",
    "--no-verify", "--memory-limit",  "--verbose", "-v",       "--color",  "--no-config"};

bool isRepeatable(const std::vector<std::string>& words) {
  return std::all_of(words.begin(), words.end(), [](const std::string& word) {
    if (word.empty() || word[0] != '-') return true;
    std::string name = word.substr(0, word.find('='));
    return std::any_of(std::begin(kRepeatable), std::end(kRepeatable),
                       [&](auto* known) { return name == known; });
  });
}

std::string lineOf(const std::vector<std::string>& words) {
  std::string out;
  for (auto& w : words) out += (out.empty() ? "" : " ") + shellQuoted(w);
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
void Server::runKadvise(const Json& id, std::vector<std::string> words, const fs::path& folder, bool run,
                        bool ofOneRule) {
  fs::path report = folder / ".kadvise" / "last.json";
  Json answer = {{"command", words}, {"line", lineOf(words)}, {"started", run && workspace_.isTrusted}};
  if (!run || !workspace_.isTrusted) return client_.answer(id, answer);
  std::vector<std::string> arguments(words.begin() + 1, words.end());
  auto kept = ofOneRule ? std::make_shared<KeptReport>(report, work_.path()) : nullptr;
  std::string before = stampOf(report);
  errands_.start(id, "kadvise " + lineOf(arguments), kadviseIn(folder, arguments),
                 [this, answer, report, before, kept](const ErrandEnd& end) mutable {
                   int code = end.exit.signal ? 128 + end.exit.signal : end.exit.code;
                   fs::path written = stampOf(report) == before ? "" : kept ? kept->putBack() : report;
                   answer["exitCode"] = code, answer["output"] = end.output;
                   if (!written.empty()) answer["report"] = uriOf(written);
                   refreshReports();
                   std::string words = code ? "ended with code " + std::to_string(code) : "done";
                   if (auto* known = reports_.find(written)) answer["headline"] = words = known->headline;
                   else if (!written.empty() && isTooLong(written))
                     words = "the report is too long to be shown on the lines of the code";
                   return ErrandAnswer{answer, "", words, false};
                 });
}

void Server::analyseModel(const Json& id, const Json& argument) {
  fs::path model = pathFrom(argument.at("model").get<std::string>());
  if (model.empty()) throw Error("analyseModel", "the model is no file");
  if (model.is_relative() && !workspace_.folders.empty()) model = workspace_.folders.front().path / model;
  fs::path folder = workspace_.baseOf(model.lexically_normal());
  fs::path name = model.lexically_normal().lexically_relative(folder);
  std::string word = name.empty() ? model.string() : name.string();
  if (word.starts_with('-')) word = "./" + word;  // a file, no option
  std::vector<std::string> words = {"kadvise", word};
  for (auto& input : argument.value("inputs", std::vector<std::string>()))
    words.insert(words.end(), {"--input", input});
  for (auto& more : argument.value("arguments", std::vector<std::string>())) words.push_back(more);
  runKadvise(id, words, folder, argument.value("run", false), false);
}

void Server::measureFix(const Json& id, const Json& argument) {
  auto path = pathFrom(argument.at("report").get<std::string>());
  auto* report = reports_.find(path);
  if (!report) throw Error(path.string(), "is no report of this workspace");
  if (report->command.empty()) throw Error(path.string(), "does not say how it was made");
  auto words = commandWordsFor(report->command, argument.at("rule").get<std::string>());
  words.front() = "kadvise";  // whatever program the report names
  runKadvise(id, words, report->folder, argument.value("run", false) && isRepeatable(words), true);
}

}  // namespace kadvise::lsp

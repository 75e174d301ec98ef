// The editor's beginning and end, its settings and folders.
#include <signal.h>

#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/lint/source_files.h"
#include "analyzer/lsp/server.h"
#include "analyzer/lsp/uri.h"

namespace kadvise::lsp {
namespace {

constexpr int kIncremental = 2;
constexpr const char* kCommands[] = {"kadvise.server.lintFile",      "kadvise.server.lintWorkspace",
                                     "kadvise.server.restartParser", "kadvise.server.showRule",
                                     "kadvise.server.analyseModel",  "kadvise.server.measureFix",
                                     "kadvise.server.reports",       "kadvise.server.status"};

Json capabilities(const ClientCan& can) {
  Json out = {{"positionEncoding", "utf-16"},
              {"textDocumentSync",
               {{"openClose", true}, {"change", kIncremental}, {"save", {{"includeText", false}}}}},
              {"codeActionProvider", {{"codeActionKinds", {"quickfix", "source.fixAll.kadvise"}}}},
              {"hoverProvider", true},
              {"executeCommandProvider", {{"commands", kCommands}}},
              {"workspace", {{"workspaceFolders", {{"supported", true}, {"changeNotifications", true}}}}}};
  if (can.resolvesEdits) out["codeActionProvider"]["resolveProvider"] = true;
  if (can.pulls)
    out["diagnosticProvider"] = {
        {"identifier", "kadvise"}, {"interFileDependencies", true}, {"workspaceDiagnostics", false}};
  return out;
}

// A process that this machine does not have is of another one, over a network.
long watchable(const Json& processId) {
  if (!processId.is_number_integer()) return 0;
  auto id = processId.get<long>();
  return id > 0 && ::kill(static_cast<pid_t>(id), 0) == 0 ? id : 0;
}

std::vector<std::string> foldersOf(const Json& params) {
  std::vector<std::string> out;
  if (auto folders = params.find("workspaceFolders"); folders != params.end() && folders->is_array())
    for (auto& f : *folders) out.push_back(f.at("uri").get<std::string>());
  if (!out.empty()) return out;
  if (auto root = params.find("rootUri"); root != params.end() && root->is_string())
    return {root->get<std::string>()};
  if (auto root = params.find("rootPath"); root != params.end() && root->is_string())
    return {uriOf(root->get<std::string>())};
  return out;
}

}  // namespace

void Server::initialize(const Json& id, const Json& params) {
  if (phase_ != Phase::New) return client_.refuse(id, ErrorCode::InvalidRequest, "initialize comes once");
  client_.can = clientCanFrom(params.value("capabilities", Json::object()));
  if (long process = watchable(params.value("processId", Json())); process) options_.clientProcess = process;
  Json given = params.value("initializationOptions", Json());
  if (given.is_object()) {
    if (auto trusted = given.find("trusted"); trusted != given.end() && trusted->is_boolean())
      workspace_.isTrusted = trusted->get<bool>();
    if (given.contains("settings"))
      workspace_.settings = settingsFrom(given["settings"], [this](auto& text) { client_.log(text); });
  }
  for (auto& uri : foldersOf(params)) workspace_.add(uri);
  reports_.lookIn(workspace_.paths());
  phase_ = Phase::Running;
  client_.answer(id, {{"capabilities", capabilities(client_.can)},
                      {"serverInfo", {{"name", "kadvise"}, {"version", KADVISE_VERSION}}}});
}

void Server::initialized(const Json&) {
  for (auto& e : book_.errors) client_.warn(e.what());
  if (client_.can.watchFiles) {
    Json watchers = Json::array();
    for (auto* glob : {"**/kadvise.toml", "**/.kadvise/*.json", "**/compile_commands.json",
                       "**/*.{cu,cuh,cpp,cc,cxx,h,hpp,inl}"})
      watchers.push_back({{"globPattern", glob}});
    client_.request("client/registerCapability", {{"registrations",
                                                   {{{"id", "kadvise-files"},
                                                     {"method", "workspace/didChangeWatchedFiles"},
                                                     {"registerOptions", {{"watchers", watchers}}}}}}});
  }
  askForSettings();
  refreshReports();
}

void Server::shutdown(const Json& id, const Json&) {
  phase_ = Phase::ShutDown, wasShutDown_ = true;
  for (auto& d : deferred_) client_.refuse(d.id, ErrorCode::RequestCancelled, "the server is shut down");
  deferred_.clear();
  client_.answer(id, nullptr);
}

void Server::exit(const Json&) { phase_ = Phase::Over; }

void Server::cancel(const Json& params) {
  auto& id = params.at("id");
  errands_.cancelRequest(id);
  for (auto& d : deferred_)
    if (d.id == id) client_.refuse(id, ErrorCode::RequestCancelled, "cancelled");
  std::erase_if(deferred_, [&](auto& d) { return d.id == id; });
  std::erase_if(lintRequests_, [&](auto& r) {
    if (r.first == id) client_.refuse(id, ErrorCode::RequestCancelled, "cancelled");
    return r.first == id;
  });
}

void Server::cancelProgress(const Json& params) { errands_.cancelToken(params.at("token")); }

void Server::askForSettings() {
  if (!client_.can.configuration) return;
  Json items = Json::array({{{"section", "kadvise"}}});
  std::vector<std::string> uris;
  for (auto& f : workspace_.folders) {
    items.push_back({{"scopeUri", f.uri}, {"section", "kadvise"}});
    uris.push_back(f.uri);
  }
  client_.request("workspace/configuration", {{"items", items}}, [this, uris](const Json& result) {
    // Folders that have come or gone since have asked again.
    bool isOfToday = uris.size() == workspace_.folders.size();
    for (std::size_t i = 0; isOfToday && i < uris.size(); ++i)
      isOfToday = uris[i] == workspace_.folders[i].uri;
    if (isOfToday && result.is_array() && result.size() == uris.size() + 1)
      takeSettings(result.get<std::vector<Json>>());
  });
}

// The first of them holds where there is no folder.
void Server::takeSettings(const std::vector<Json>& settings) {
  if (settingsSeen_ == Json(settings)) return;
  settingsSeen_ = settings;
  auto warn = [this](const std::string& text) { client_.warn(text); };
  // An editor that has none says null: what came with initialize holds on.
  auto read = [&](const Json& json) {
    return json.is_null() ? workspace_.settings : settingsFrom(json, warn);
  };
  workspace_.settings = read(settings.front());
  for (std::size_t i = 0; i < workspace_.folders.size(); ++i)
    workspace_.folders[i].settings = read(settings.size() > i + 1 ? settings[i + 1] : settings.front());
  refreshReports();
  lookAgain();
}

void Server::changeSettings(const Json& params) {
  if (client_.can.configuration) return askForSettings();
  Json settings = params.value("settings", Json());
  if (settings.is_object() && settings.contains("kadvise")) settings = Json(settings["kadvise"]);
  if (settings.is_object()) takeSettings({settings});
}

void Server::changeFolders(const Json& params) {
  auto& event = params.at("event");
  for (auto& f : event.value("removed", Json::array())) workspace_.remove(f.at("uri").get<std::string>());
  for (auto& f : event.value("added", Json::array())) workspace_.add(f.at("uri").get<std::string>());
  settingsSeen_ = nullptr;
  reports_.lookIn(workspace_.paths());
  askForSettings();
  refreshReports();
  lookAgain();
  wantNeighbours();
}

void Server::filesChanged(const Json& params) {
  bool isAboutLooks = false, isAboutSources = false;
  for (auto& change : params.at("changes")) {
    auto name = pathOf(change.at("uri").get<std::string>()).filename();
    isAboutLooks |= name == kConfigurationName || name == "compile_commands.json";
    isAboutSources |= isSourceName(name);
  }
  reports_.forgetFiles();
  refreshReports();
  if (isAboutSources) wantNeighbours();
  if (isAboutLooks) lookAgain();
}

}  // namespace kadvise::lsp

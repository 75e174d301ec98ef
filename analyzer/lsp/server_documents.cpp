// Open documents, what is found in them, and how the editor hears of it.
#include <fmt/format.h>

#include <algorithm>
#include <system_error>

#include "analyzer/lsp/server.h"

namespace kadvise::lsp {
namespace {

const Json& itemOf(const Json& params) { return params.at("textDocument"); }

bool isStub(const Document& d) { return d.isSource && d.result && d.result->tier == "stub"; }

}  // namespace

void Server::didOpen(const Json& params) {
  auto& item = itemOf(params);
  Document& d = documents_.open(item.at("uri").get<std::string>(), item.value("languageId", ""),
                                item.value("version", std::int64_t{0}), item.at("text").get<std::string>());
  refuseDeferred(d.uri);
  reports_.forgetFiles();
  if (d.isSource) wantNeighbours(), looks_.want(d, 0, true);
  else publish(d);
}

void Server::didChange(const Json& params) {
  auto& item = itemOf(params);
  Document& d = documentOf(params);
  auto version = item.contains("version") && item["version"].is_number_integer()
                     ? item["version"].get<std::int64_t>()
                     : d.version + 1;
  if (version < d.version)
    client_.log(fmt::format("{}: version {} comes after {}", d.uri, version, d.version));
  try {
    documents_.change(d, version, params.at("contentChanges"));
  } catch (const Json::exception&) {
    lose(d);
    throw;
  }
  refuseDeferred(d.uri);
  if (d.isLost) return;
  auto& settings = workspace_.settingsOf(d.path);
  d.fastDue.reset(), d.wantsFull = false;
  if (!d.isSource) d.publishDue = Clock::now() + std::chrono::milliseconds(settings.delayMs);
  else if (settings.lintsOnType) looks_.want(d, settings.delayMs, false);
}

// Nothing is said any more of a text that is not the editor's.
void Server::lose(Document& d) {
  if (d.isLost) return;
  d.isLost = true, d.generation = 0;  // what is under way is of no use either
  d.result.reset(), d.fastDue.reset(), d.publishDue.reset(), d.wantsFull = false;
  refuseDeferred(d.uri);
  client_.warn(d.path.filename().string() +
               ": a change of it could not be read, so nothing is found in it until it is opened again");
  if (published_.erase(d.uri))
    client_.notify("textDocument/publishDiagnostics", {{"uri", d.uri}, {"diagnostics", Json::array()}});
}

void Server::loseAll() {
  for (auto& [uri, d] : documents_.all()) lose(d);
}

void Server::didSave(const Json& params) {
  Document& saved = documentOf(params);
  looks_.want(saved, 0, true);
  if (saved.isSource) wantNeighbours();
  // Headers are read from the disk: what includes this one looks different now.
  for (auto& [uri, d] : documents_.all()) {
    if (!d.result || &d == &saved) continue;
    auto& headers = d.result->dependencies;
    bool reads = std::any_of(headers.begin(), headers.end(), [&](auto& h) {
      return std::filesystem::path(h).lexically_normal() == saved.path;
    });
    if (reads) d.isFull = false, looks_.want(d, 0, true);
  }
}

void Server::didClose(const Json& params) {
  auto uri = itemOf(params).at("uri").get<std::string>();
  refuseDeferred(uri);
  documents_.close(uri);
  if (published_.erase(uri))
    client_.notify("textDocument/publishDiagnostics", {{"uri", uri}, {"diagnostics", Json::array()}});
}

void Server::lookAgain() {
  for (auto& [uri, d] : documents_.all()) {
    d.isFull = false;
    if (d.isSource) looks_.want(d, 0, true);
    else publish(d);
  }
}

// Of the configuration that holds for the document.
std::string Server::configurationStampOf(const std::filesystem::path& path) const {
  auto file = configurationFor(path.parent_path(), workspace_.settingsOf(path), workspace_.baseOf(path));
  return file.empty() ? "" : file.string() + stampOf(file);
}

FileSetup Server::setupOf(const std::filesystem::path& path) {
  configurationStamps_[path.parent_path().string()] = configurationStampOf(path);
  return setupFor(path, workspace_.settingsOf(path),
                  {installation_, book_, workspace_.baseOf(path), workspace_.isTrusted},
                  [this](const std::string& text) { client_.warn(text); });
}

std::vector<Shown> Server::shownIn(const Document& d) const {
  std::vector<Shown> out;
  auto& settings = workspace_.settingsOf(d.path);
  if (!settings.enable || d.isLost) return out;
  if (d.result) out = shownOf(d.text, *d.result, settings.showSyntaxErrors);
  if (!settings.showsReports) return out;
  for (auto& s : reports_.shownIn(d.path, d.text)) out.push_back(std::move(s));
  return out;
}

void Server::found(Document& d) {
  publish(d);
  answerDeferred(d);
  std::erase_if(lintRequests_, [&](auto& request) {
    if (request.second != d.uri || d.wantsFull) return false;
    client_.answer(request.first, {{"uri", d.uri},
                                   {"version", d.version},
                                   {"tier", d.result ? d.result->tier : ""},
                                   {"findings", d.result ? d.result->findings.size() : 0}});
    return true;
  });
}

Json Server::diagnosticsOf(const Document& d) {
  Json out = Json::array();
  DiagnosticPlace place{book_, client_.can, d.uri, d.text, others_};
  for (auto& s : shownIn(d)) out.push_back(diagnosticOf(s, place));
  return out;
}

// Of a source only what was found in exactly this text; until then the editor moves what it shows along.
void Server::publish(Document& d) {
  d.publishDue.reset();
  if (d.isLost || (d.isSource && !d.result)) return;
  if (client_.can.pulls) {
    if (client_.can.refreshesPulls) client_.request("workspace/diagnostic/refresh", nullptr);
    return;
  }
  Json diagnostics = diagnosticsOf(d);
  // A document that nobody has anything to say of is not spoken of.
  if (!d.isSource && diagnostics.empty() && !published_.count(d.uri)) return;
  published_[d.uri] = true;
  client_.notify("textDocument/publishDiagnostics",
                 {{"uri", d.uri}, {"version", d.version}, {"diagnostics", diagnostics}});
}

void Server::publishDue() {
  for (auto& [uri, d] : documents_.all())
    if (d.publishDue && *d.publishDue <= Clock::now()) publish(d);
}

void Server::refreshReports() {
  auto tell = [&](const std::string& text) { client_.warn(text); };
  if (!reports_.refresh(workspace_.reportPaths(), book_, tell)) return;
  for (auto& [uri, d] : documents_.all()) publish(d);
  client_.notify("kadvise/reports", reports_.toJson());
}

Json Server::status() const {
  std::string tier, message, trouble;
  bool isLess = false;
  for (auto& [uri, d] : documents_.all()) {
    if (!d.isSource) continue;
    if (!d.trouble.empty()) trouble = d.path.filename().string() + ": " + d.trouble;
    auto& settings = workspace_.settingsOf(d.path);
    isLess |= isStub(d) && !d.hasFull && settings.headers != "stub";
    if (d.result && !d.result->tier.empty()) tier = d.result->tier;
  }
  std::size_t waiting = looks_.waiting();
  std::string state = waiting || looks_.isReading() ? "parsing"
                      : !trouble.empty() || isLess  ? "degraded"
                                                    : "idle";
  if (state == "parsing") message = looks_.reading().empty() ? "waiting" : looks_.reading();
  else if (!trouble.empty()) message = trouble;
  else if (isLess)
    message = std::string(workspace_.isTrusted ? "no CUDA toolkit is here" : "the workspace is not trusted") +
              ": read with kadvise's own declarations";
  return {{"state", state}, {"tier", tier}, {"message", message}, {"files", waiting}};
}

void Server::sayStatus() {
  if (phase_ != Phase::Running) return;
  Json now = status();
  if (now == statusSaid_) return;
  statusSaid_ = now;
  client_.notify("kadvise/status", now);
}

}  // namespace kadvise::lsp

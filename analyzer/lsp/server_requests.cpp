// What the editor asks about a place in a document.
#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/lsp/actions.h"
#include "analyzer/lsp/hover.h"
#include "analyzer/lsp/ignoring.h"
#include "analyzer/lsp/server.h"

namespace kadvise::lsp {
namespace {

constexpr auto kPatience = std::chrono::seconds(3);  // of a request, for the text to be read

std::vector<std::string> kindsOf(const Json& params) {
  std::vector<std::string> out;
  Json context = params.value("context", Json::object());
  if (auto only = context.find("only"); only != context.end() && only->is_array())
    for (auto& kind : *only) out.push_back(kind.get<std::string>());
  return out;
}

}  // namespace

Document& Server::documentOf(const Json& params) {
  auto uri = params.at("textDocument").at("uri").get<std::string>();
  if (auto* d = documents_.find(uri)) return *d;
  throw Error(uri, "is not open");
}

void Server::codeAction(const Json& id, const Json& params) {
  Document& d = documentOf(params);
  // A request that waits is answered out of the loop, where nobody would take what these throw.
  (void)params.at("range").get<Range>(), (void)kindsOf(params);
  if (!looks_.isAwaited(d)) return answerActions(id, params, d);
  deferred_.push_back({id, params, d.uri, Clock::now() + kPatience, &Server::answerActions});
}

// The edits of what changes many places are made for the action that the user chose.
void Server::resolveAction(const Json& id, const Json& action) {
  if (!action.is_object() || !action.contains("data")) return client_.answer(id, action);
  const Json& data = action["data"];
  auto* d = documents_.find(data.at("uri").get<std::string>());
  if (!d || !d->result || data.at("version").get<std::int64_t>() != d->version)
    return client_.refuse(id, ErrorCode::ContentModified, "the text has changed since");
  Json answer = action;
  answer["edit"] = workspaceEdit(*d, client_.can, resolvedEdits(*d, data));
  client_.answer(id, std::move(answer));
}

void Server::pullDiagnostics(const Json& id, const Json& params) {
  Document& d = documentOf(params);
  if (!looks_.isAwaited(d)) return answerPull(id, params, d);
  deferred_.push_back({id, params, d.uri, Clock::now() + kPatience, &Server::answerPull});
}

// Without a result of this very text the client is to ask again, and keeps what it shows.
void Server::answerPull(const Json& id, const Json&, const Document& d) {
  if (d.isSource && !d.result && !d.isLost)
    return client_.refuse(id, ErrorCode::ServerCancelled, "the text is being read",
                          {{"retriggerRequest", true}});
  client_.answer(id, {{"kind", "full"}, {"items", diagnosticsOf(d)}});
}

void Server::answerActions(const Json& id, const Json& params, const Document& d) {
  auto shown = shownIn(d);
  client_.answer(id, actionsFor({d, workspace_.settingsOf(d.path), book_, client_.can, others_, shown,
                                 params.at("range").get<Range>(), kindsOf(params)}));
}

void Server::answerDeferred(const Document& d) {
  for (auto& r : deferred_)
    if (r.uri == d.uri) (this->*r.answer)(r.id, r.params, d);
  std::erase_if(deferred_, [&](auto& r) { return r.uri == d.uri; });
}

// The text is another one now, and places in it mean something else.
void Server::refuseDeferred(const std::string& uri) {
  for (auto& r : deferred_)
    if (r.uri == uri) client_.refuse(r.id, ErrorCode::ContentModified, "the text has changed since");
  std::erase_if(deferred_, [&](auto& r) { return r.uri == uri; });
  std::erase_if(lintRequests_, [&](auto& r) {
    if (r.second == uri) client_.refuse(r.first, ErrorCode::ContentModified, "the text has changed since");
    return r.second == uri;
  });
}

void Server::answerOverdue() {
  auto now = Clock::now();
  for (auto& r : deferred_)
    if (auto* d = documents_.find(r.uri); r.until <= now && d) (this->*r.answer)(r.id, r.params, *d);
  std::erase_if(deferred_, [&](auto& r) { return r.until <= now; });
}

void Server::hover(const Json& id, const Json& params) {
  Document& d = documentOf(params);
  auto at = params.at("position").get<Position>();
  std::string text = selectorMarkdown(selectorAt(d.text, at), book_);
  if (text.empty()) text = findingsMarkdown(shownIn(d), at, book_, reports_, client_.can.markdown);
  if (text.empty()) return client_.answer(id, nullptr);
  client_.answer(
      id, {{"contents", {{"kind", client_.can.markdown ? "markdown" : "plaintext"}, {"value", text}}}});
}

}  // namespace kadvise::lsp

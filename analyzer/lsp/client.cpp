#include "analyzer/lsp/client.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <iostream>

#include "analyzer/lsp/framing.h"

namespace kadvise::lsp {
namespace {

constexpr std::size_t kPipeChunk = 4096;  // a pipe that is ready takes so much at once
constexpr std::size_t kMostUnread = 256u << 20;
constexpr int kLogWarning = 2, kLogInfo = 3;

// Without waiting, whatever kind of descriptor it is.
ssize_t writeSome(int fd, const char* bytes, std::size_t size) {
  ssize_t n = ::send(fd, bytes, size, MSG_NOSIGNAL | MSG_DONTWAIT);
  if (n >= 0 || errno != ENOTSOCK) return n;
  pollfd ready{fd, POLLOUT, 0};
  if (::poll(&ready, 1, 0) <= 0) return errno = EAGAIN, -1;
  if (ready.revents & (POLLERR | POLLNVAL)) return errno = EPIPE, -1;
  return ::write(fd, bytes, std::min(size, kPipeChunk));
}

bool flag(const Json& from, const char* pointer) {
  auto at = Json::json_pointer(pointer);
  return from.is_object() && from.contains(at) && from[at].is_boolean() && from[at].get<bool>();
}
bool has(const Json& from, const char* pointer) {
  return from.is_object() && from.contains(Json::json_pointer(pointer));
}
bool lists(const Json& from, const char* pointer, const char* word) {
  if (!has(from, pointer)) return false;
  auto& list = from[Json::json_pointer(pointer)];
  return list.is_array() && std::find(list.begin(), list.end(), word) != list.end();
}

}  // namespace

ClientCan clientCanFrom(const Json& c) {
  ClientCan out;
  out.configuration = flag(c, "/workspace/configuration");
  out.documentChanges = flag(c, "/workspace/workspaceEdit/documentChanges");
  out.codeDescription = flag(c, "/textDocument/publishDiagnostics/codeDescriptionSupport");
  out.relatedInformation = flag(c, "/textDocument/publishDiagnostics/relatedInformation");
  out.tags = has(c, "/textDocument/publishDiagnostics/tagSupport");
  out.progress = flag(c, "/window/workDoneProgress");
  out.showDocument = flag(c, "/window/showDocument/support");
  out.pulls = has(c, "/textDocument/diagnostic") && !has(c, "/textDocument/publishDiagnostics");
  out.refreshesPulls = out.pulls && flag(c, "/workspace/diagnostics/refreshSupport");
  out.watchFiles = flag(c, "/workspace/didChangeWatchedFiles/dynamicRegistration");
  constexpr const char* kFormats = "/textDocument/hover/contentFormat";
  if (has(c, kFormats)) out.markdown = lists(c, kFormats, "markdown");
  out.resolvesEdits = flag(c, "/textDocument/codeAction/dataSupport") &&
                      lists(c, "/textDocument/codeAction/resolveSupport/properties", "edit");
  return out;
}

void Client::send(Json message) {
  if (isGone_) return;
  message["jsonrpc"] = "2.0";
  out_ += framed(message);
  flush();
  // An editor that reads nothing any more will not be missed.
  if (out_.size() - at_ > kMostUnread) isGone_ = true;
}

void Client::flush() {
  while (!isGone_ && hasMore()) {
    ssize_t n = writeSome(fd_, out_.data() + at_, out_.size() - at_);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK)) break;
    if (n <= 0) isGone_ = true;
    else at_ += static_cast<std::size_t>(n);
  }
  if (!hasMore()) out_.clear(), at_ = 0;
  else if (at_ > (1u << 20)) out_.erase(0, at_), at_ = 0;
}

void Client::answer(const Json& id, Json result) { send({{"id", id}, {"result", std::move(result)}}); }

void Client::refuse(const Json& id, ErrorCode code, const std::string& why, Json data) {
  Json error = {{"code", static_cast<int>(code)}, {"message", why}};
  if (!data.is_null()) error["data"] = std::move(data);
  send({{"id", id}, {"error", std::move(error)}});
}

void Client::notify(const char* method, Json params) {
  send({{"method", method}, {"params", std::move(params)}});
}

void Client::request(const char* method, Json params, std::function<void(const Json&)> answered) {
  long id = nextId_++;
  if (answered) open_[id] = std::move(answered);
  send({{"id", id}, {"method", method}, {"params", std::move(params)}});
}

void Client::accept(const Json& response) {
  auto& id = response.at("id");
  if (!id.is_number_integer()) return;
  auto known = open_.find(id.get<long>());
  if (known == open_.end()) return;
  auto answered = std::move(known->second);
  open_.erase(known);
  answered(response.contains("result") ? response["result"] : Json());
}

void Client::log(const std::string& text) {
  std::cerr << text << "\n" << std::flush;
  notify("window/logMessage", {{"type", kLogInfo}, {"message", text}});
}

void Client::warn(const std::string& text) {
  if (!warned_.emplace(text, true).second) return;
  std::cerr << "warning: " << text << "\n" << std::flush;
  notify("window/showMessage", {{"type", kLogWarning}, {"message", text}});
}

}  // namespace kadvise::lsp

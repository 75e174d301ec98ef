#include "analyzer/lsp/server.h"

#include <poll.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

#include "analyzer/core/error.h"
#include "analyzer/rule_selection.h"

namespace kadvise::lsp {
namespace {

// Of processor time: on a busy machine the clock says little.
constexpr double kSecondsOfFile = 20, kSecondsOfFullLook = 60, kMostWaits = 6;
constexpr std::size_t kBytesOfFile = std::size_t{3} << 29;
constexpr int kTickMs = 50, kSecondMs = 1000;

LookLimits limitsOf(const ServerOptions& o) {
  auto bytes = o.memoryLimitBytes ? o.memoryLimitBytes : kBytesOfFile;
  if (o.timeLimitSeconds > 0) return {{o.timeLimitSeconds, bytes, 0}, {o.timeLimitSeconds, bytes, 0}};
  return {{kSecondsOfFile * kMostWaits, bytes, kSecondsOfFile},
          {kSecondsOfFullLook * kMostWaits, bytes, kSecondsOfFullLook}};
}

}  // namespace

Server::Server(const ServerOptions& options, int in, int out)
    : options_(options),
      installation_(findInstallation(ownFolder(), options.engines)),
      book_(loadCatalogue(ruleFolders(installation_, options.rules))),
      work_(""),
      in_(in),
      client_(out),
      looks_(documents_, installation_, limitsOf(options), work_.path(),
             {[this](const Document& d) { return setupOf(d.path); }, book_, [this](Document& d) { found(d); },
              [this](const std::string& text) { client_.log(text); }}),
      errands_(client_, work_.path()) {
  if (installation_.headers.empty())
    throw Error("lsp", "kadvise's own CUDA headers are missing beside its rules; reinstall it");
}

int Server::run() {
  second_ = Clock::now();
  auto isInterrupted = [&] { return options_.interrupted && options_.interrupted(); };
  while (phase_ != Phase::Over && !isInputOver_ && !client_.isGone() && !isInterrupted()) {
    wait();
    looks_.step();
    errands_.step();
    stepNeighbours();
    publishDue();
    answerOverdue();
    everySecond();
    sayStatus();
    client_.flush();
  }
  // What was said before the end is still to be read.
  for (int i = 0; i < kSecondMs / kTickMs && client_.hasMore() && !client_.isGone(); ++i) {
    pollfd out{client_.fd(), POLLOUT, 0};
    ::poll(&out, 1, kTickMs);
    client_.flush();
  }
  return wasShutDown_ ? 0 : 1;
}

void Server::wait() {
  std::vector<pollfd> fds = {{in_, POLLIN, 0}};
  if (client_.hasMore()) fds.push_back({client_.fd(), POLLOUT, 0});
  looks_.addTo(fds);
  int timeout = looks_.isBusy() || errands_.any() || !deferred_.empty() ? kTickMs : kSecondMs;
  if (int next = looks_.msToNext(); next >= 0) timeout = std::min(timeout, next);
  if (neighboursDue_) timeout = std::min(timeout, kTickMs);
  if (neighbours_.isUnderWay() && !looks_.isBusy() && looks_.waiting() == 0) timeout = 0;
  for (auto& [uri, d] : documents_.all())
    if (d.publishDue) timeout = std::min(timeout, kTickMs);
  if (::poll(fds.data(), fds.size(), timeout) > 0 && fds[0].revents) readInput();
}

void Server::readInput() {
  char chunk[1 << 16];
  ssize_t n = ::read(in_, chunk, sizeof chunk);
  if (n < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (n <= 0) {
    isInputOver_ = true;
    return;
  }
  framing_.feed({chunk, static_cast<std::size_t>(n)});
  while (phase_ != Phase::Over) {
    auto frame = framing_.next();
    if (!frame) return;
    if (frame->fault.empty()) handle(frame->body);
    else client_.refuse(nullptr, ErrorCode::ParseError, frame->fault);
    if (frame->isLostMessage) loseAll();
  }
}

void Server::handle(const std::string& body) {
  Json message;
  try {
    message = parseMessage(body);
  } catch (const Error& e) {
    if (body.find("textDocument/didChange") != std::string::npos) loseAll();
    return client_.refuse(nullptr, ErrorCode::ParseError, e.reason);
  }
  Json id = message.is_object() && message.contains("id") ? message["id"] : Json();
  if (!id.is_string() && !id.is_number_integer()) id = nullptr;
  bool isRequest = !id.is_null() && message.contains("method");
  try {
    dispatch(message);
  } catch (const Json::exception& e) {
    if (isRequest) client_.refuse(id, ErrorCode::InvalidParams, e.what());
    else client_.log(std::string("a message that is not what it should be: ") + e.what());
  } catch (const std::exception& e) {
    if (isRequest) client_.refuse(id, ErrorCode::InternalError, e.what());
    else client_.log(e.what());
  }
}

void Server::dispatch(const Json& message) {
  using Request = void (Server::*)(const Json& id, const Json& params);
  using Notification = void (Server::*)(const Json& params);
  static const std::map<std::string, Request> kRequests = {
      {"initialize", &Server::initialize},
      {"shutdown", &Server::shutdown},
      {"textDocument/codeAction", &Server::codeAction},
      {"codeAction/resolve", &Server::resolveAction},
      {"textDocument/diagnostic", &Server::pullDiagnostics},
      {"textDocument/hover", &Server::hover},
      {"workspace/executeCommand", &Server::executeCommand}};
  static const std::map<std::string, Notification> kNotifications = {
      {"initialized", &Server::initialized},
      {"exit", &Server::exit},
      {"$/cancelRequest", &Server::cancel},
      {"window/workDoneProgress/cancel", &Server::cancelProgress},
      {"textDocument/didOpen", &Server::didOpen},
      {"textDocument/didChange", &Server::didChange},
      {"textDocument/didSave", &Server::didSave},
      {"textDocument/didClose", &Server::didClose},
      {"workspace/didChangeConfiguration", &Server::changeSettings},
      {"workspace/didChangeWorkspaceFolders", &Server::changeFolders},
      {"workspace/didChangeWatchedFiles", &Server::filesChanged}};

  if (!message.is_object())
    return client_.refuse(nullptr, ErrorCode::InvalidRequest, "a message is an object");
  auto id = message.find("id");
  auto method = message.find("method");
  if (method == message.end()) {
    if (id != message.end() && (message.contains("result") || message.contains("error")))
      return client_.accept(message);
    return client_.refuse(nullptr, ErrorCode::InvalidRequest, "the message names no method");
  }
  if (!method->is_string())
    return client_.refuse(nullptr, ErrorCode::InvalidRequest, "the method is no string");
  Json params = message.value("params", Json::object());
  auto& name = method->get_ref<const std::string&>();
  if (id == message.end()) {
    auto known = kNotifications.find(name);
    bool isAllowed = phase_ == Phase::Running || name == "exit";
    if (known != kNotifications.end() && isAllowed) (this->*known->second)(params);
    return;
  }
  if (!id->is_string() && !id->is_number_integer())
    return client_.refuse(nullptr, ErrorCode::InvalidRequest, "an id is a number or a string");
  if (phase_ == Phase::New && name != "initialize")
    return client_.refuse(*id, ErrorCode::NotInitialized, "initialize comes first");
  if (phase_ == Phase::ShutDown)
    return client_.refuse(*id, ErrorCode::InvalidRequest, "the server is shut down");
  auto known = kRequests.find(name);
  if (known == kRequests.end()) return client_.refuse(*id, ErrorCode::MethodNotFound, "there is no " + name);
  (this->*known->second)(*id, params);
}

bool Server::isClientGone() const {
  return options_.clientProcess > 0 && ::kill(static_cast<pid_t>(options_.clientProcess), 0) != 0 &&
         errno == ESRCH;
}

// What nobody tells: that the editor died, that a report was written, that a kadvise.toml changed.
void Server::everySecond() {
  if (Clock::now() - second_ < std::chrono::milliseconds(kSecondMs)) return;
  second_ = Clock::now();
  if (isClientGone()) isInputOver_ = true;
  if (phase_ != Phase::Running) return;
  refreshReports();
  bool isChanged = false;
  for (auto& [uri, d] : documents_.all()) {
    auto known = configurationStamps_.find(d.path.parent_path().string());
    isChanged |= known != configurationStamps_.end() && known->second != configurationStampOf(d.path);
  }
  if (isChanged) lookAgain();
}

}  // namespace kadvise::lsp

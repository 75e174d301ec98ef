// What the server says to the editor: answers, notifications and requests of its own, written as fast as the
// editor reads them.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>

#include "analyzer/core/json.h"

namespace kadvise::lsp {

enum class ErrorCode {
  ParseError = -32700,
  InvalidRequest = -32600,
  MethodNotFound = -32601,
  InvalidParams = -32602,
  InternalError = -32603,
  NotInitialized = -32002,
  RequestCancelled = -32800,
  ContentModified = -32801,
  ServerCancelled = -32802,
};

// What the editor said that it can.
struct ClientCan {
  bool configuration = false;                                              // workspace/configuration
  bool documentChanges = false;                                            // versioned edits
  bool codeDescription = false, relatedInformation = false, tags = false;  // of diagnostics
  bool progress = false;                                                   // window/workDoneProgress/create
  bool showDocument = false;
  bool watchFiles = false;     // registers workspace/didChangeWatchedFiles later
  bool markdown = true;        // in hovers
  bool resolvesEdits = false;  // codeAction/resolve: it asks for the edit of the action that was chosen
  // It asks for diagnostics (textDocument/diagnostic) and takes none unasked: one that can do both gets them
  // as soon as they are known. refreshesPulls: and it can be told to ask again.
  bool pulls = false, refreshesPulls = false;
};
ClientCan clientCanFrom(const Json& capabilities);

class Client {
 public:
  explicit Client(int fd) : fd_(fd) {}

  ClientCan can;

  void answer(const Json& id, Json result);
  void refuse(const Json& id, ErrorCode, const std::string& why, Json data = nullptr);
  void notify(const char* method, Json params);
  // answered: with the result, or null for an error.
  void request(const char* method, Json params, std::function<void(const Json&)> answered = {});
  void log(const std::string& text);   // window/logMessage, and standard error
  void warn(const std::string& text);  // window/showMessage; the same text once only
  void accept(const Json& response);   // to one of our requests

  bool hasMore() const { return at_ < out_.size(); }
  bool isGone() const { return isGone_; }
  void flush();  // what can be written without waiting
  int fd() const { return fd_; }

 private:
  void send(Json);

  int fd_;
  std::string out_;
  std::size_t at_ = 0;  // of it is written
  bool isGone_ = false;
  long nextId_ = 1;
  std::map<long, std::function<void(const Json&)>> open_;
  std::map<std::string, bool> warned_;
};

}  // namespace kadvise::lsp

// JSON lines over two pipes between the front and an engine. An engine finds its end at descriptors 3
// (requests in) and 4 (messages out), so that a model that prints to standard output does not corrupt the
// conversation. The messages are described by messages.schema.json.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "analyzer/core/json.h"

namespace kadvise {

inline constexpr int kProtocolVersion = 1;
inline constexpr int kRequestFd = 3, kMessageFd = 4;

// One direction each; does not own the descriptors.
class LineReader {
 public:
  explicit LineReader(int fd, std::size_t limitBytes = 256u << 20) : fd_(fd), limitBytes_(limitBytes) {}
  // The next line without its end; nullopt at the end of the stream. timeoutMs < 0 waits for ever; a time-out
  // returns nullopt with timedOut() true. Throws Error on a line over the limit.
  std::optional<std::string> next(int timeoutMs = -1);
  bool timedOut() const { return timedOut_; }

 private:
  int fd_;
  std::size_t limitBytes_;
  std::string buffer_;
  std::size_t scanned_ = 0;
  bool timedOut_ = false;
};

// Writes one line whole; false when the other side is gone.
bool writeLine(int fd, const std::string& line);

// The engine's side of one request: what it may say while it works.
class Replies {
 public:
  Replies(int fd, int id) : fd_(fd), id_(id) {}
  void progress(const std::string& what, double done = 0, double total = 0) const;
  void finding(const Finding&) const;
  void artefact(const Json& body) const;  // {"kind": "candidate"|"base"|…, …}
  void verdict(const Verdict&) const;
  void send(const char* type, const Json& body) const;

 private:
  int fd_, id_;
};

// Reads requests until the front closes the pipe. The handler returns the body of `done`; an exception
// becomes an `error` message {where, what} and the engine goes on with the next request. Returns the
// process's exit code.
int serve(const std::function<Json(const std::string& verb, const Json& arguments, const Replies&)>& handler,
          int requestFd = kRequestFd, int messageFd = kMessageFd);

}  // namespace kadvise

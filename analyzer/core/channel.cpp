#include "analyzer/core/channel.h"

#include <poll.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>

#include "analyzer/core/error.h"
#include "analyzer/core/file.h"

namespace kadvise {
namespace {

std::string dump(const Json& message) {
  // A model's names may hold any bytes: replace what is not UTF-8 rather than fail.
  return message.dump(-1, ' ', false, Json::error_handler_t::replace);
}

bool readable(int fd, int timeoutMs) {
  using clock = std::chrono::steady_clock;
  auto end = clock::now() + std::chrono::milliseconds(timeoutMs);
  while (true) {
    pollfd p{fd, POLLIN, 0};
    int left =
        timeoutMs < 0
            ? -1
            : static_cast<int>(std::max<long long>(
                  0, std::chrono::duration_cast<std::chrono::milliseconds>(end - clock::now()).count()));
    int n = ::poll(&p, 1, left);
    if (n > 0) return true;
    if (n == 0) return false;
    if (errno != EINTR) return true;  // read() will say what is wrong
  }
}

}  // namespace

std::optional<std::string> LineReader::next(int timeoutMs) {
  timedOut_ = false;
  while (true) {
    if (auto end = buffer_.find('\n', scanned_); end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      scanned_ = 0;
      return line;
    }
    scanned_ = buffer_.size();
    if (buffer_.size() > limitBytes_) throw Error("", "a message of the other side is over the size limit");
    if (!readable(fd_, timeoutMs)) {
      timedOut_ = true;
      return std::nullopt;
    }
    char chunk[1 << 16];
    ssize_t n = ::read(fd_, chunk, sizeof chunk);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return std::nullopt;
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

bool writeLine(int fd, const std::string& line) { return writeAll(fd, line + "\n"); }

void Replies::send(const char* type, const Json& body) const {
  writeLine(fd_, dump({{"version", kProtocolVersion}, {"id", id_}, {"type", type}, {"body", body}}));
}
void Replies::progress(const std::string& what, double done, double total) const {
  send("progress", {{"what", what}, {"done", done}, {"total", total}});
}
void Replies::finding(const Finding& f) const { send("finding", f); }
void Replies::artefact(const Json& body) const { send("artefact", body); }
void Replies::verdict(const Verdict& v) const { send("verdict", v); }

int serve(const std::function<Json(const std::string&, const Json&, const Replies&)>& handler, int requestFd,
          int messageFd) {
  std::signal(SIGPIPE, SIG_IGN);  // a front that died is noticed by writeLine, not by our death
  LineReader requests(requestFd);
  while (auto line = requests.next()) {
    int id = 0;
    try {
      Json request = Json::parse(*line);
      id = request.value("id", 0);
      Replies replies(messageFd, id);
      if (request.value("version", 0) != kProtocolVersion)
        throw Error("protocol",
                    "the front speaks another version; reinstall kadvise so that its programs match");
      replies.send("done", handler(request.at("verb").get<std::string>(),
                                   request.value("arguments", Json::object()), replies));
    } catch (const Error& e) {
      Replies(messageFd, id).send("error", {{"where", e.where}, {"what", e.reason}});
    } catch (const std::exception& e) {
      Replies(messageFd, id).send("error", {{"where", ""}, {"what", e.what()}});
    }
  }
  return 0;
}

}  // namespace kadvise

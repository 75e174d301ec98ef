#include "analyzer/engine.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/socket.h>

#include <cerrno>

#include "analyzer/core/error.h"
#include "analyzer/core/foreign_json.h"
#include "analyzer/installation.h"

namespace kadvise {
namespace {

constexpr int kTickMs = 50;
constexpr int kLoaderFailed = 127;
constexpr double kLastWordsSeconds = 2;  // between closing its pipe and being killed
constexpr double kListeningSeconds = 0.05;
constexpr std::size_t kLineLimitBytes = 64u << 20;
constexpr std::size_t kQuotedBytes = 60;

std::string quoted(const std::string& line) {
  std::string out = "\"";
  for (unsigned char c : line.substr(0, kQuotedBytes))
    out += c < 0x20 || c >= 0x7f ? '?' : static_cast<char>(c);
  return out + (line.size() > kQuotedBytes ? "…\"" : "\"");
}

std::string duration(double seconds) {
  return seconds < 9.95 ? fmt::format("{:.1f} s", seconds) : fmt::format("{:.0f} s", seconds);
}

// The libraries of Python packages are linked to Python's own half of torch, which our programs do not load;
// that one in turn has Python's symbols from nowhere.
std::string withRemedy(const std::string& what) {
  auto has = [&](const char* part) { return what.find(part) != std::string::npos; };
  if (!has("operator library cannot be loaded") || !(has("libtorch_python") || has("undefined symbol: Py")))
    return what;
  return what +
         "; name three with --op-library, in this order: libpython, torch/lib/libtorch_python.so, then "
         "the library with the operators";
}

}  // namespace

Engine::Engine(const Program& program, std::filesystem::path log, EngineLimits limits)
    : name_(program.path.filename().string()), log_(std::move(log)), ownLimits_(limits), limits_(limits) {
  try {
    child_ = std::make_unique<Child>(program, log_);
    reader_ = std::make_unique<LineReader>(child_->messageFd(), kLineLimitBytes);
  } catch (const Error& e) {
    startFailure_ = e.what();
  }
}

double Engine::seconds() const {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - started_).count();
}

void Engine::send(const std::string& verb, const Json& arguments, std::string doing, MessageHandler handler,
                  std::optional<EngineLimits> limits) {
  doing_ = std::move(doing);
  limits_ = limits.value_or(ownLimits_);
  computedBefore_ = child_ ? child_->computedSeconds() : 0;
  handler_ = std::move(handler);
  started_ = heard_ = std::chrono::steady_clock::now();
  silenceSeconds_ = 0;
  busy_ = true;
  if (!child_) {
    finish({Reply::Kind::Died,
            {},
            name_,
            startFailure_.empty() ? name_ + " is no longer running" : startFailure_});
    return;
  }
  Json request = {{"version", kProtocolVersion}, {"id", ++id_}, {"verb", verb}, {"arguments", arguments}};
  outgoing_ = request.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n";
  flush();
}

Reply Engine::take() { return std::exchange(reply_, Reply{}); }

void Engine::end(double seconds) {
  if (!child_) return;
  child_->closeRequests();
  child_->waitFor(seconds);
  child_.reset();
}

void Engine::finish(Reply reply) {
  busy_ = false;
  handler_ = nullptr;
  outgoing_.clear();
  reply_ = std::move(reply);
}

void Engine::died(const std::string& how, bool overLimit) {
  child_.reset();  // kills it when it still runs
  finish({Reply::Kind::Died,
          {},
          name_,
          fmt::format("{} {} while {} ({})", name_, how, doing_, duration(seconds())),
          overLimit});
}

// Of a library that the dynamic loader did not find, an exit code says nothing to a user.
void Engine::ended(const ChildExit& exit) {
  std::string library = exit.code == kLoaderFailed ? missingLibrary(log_) : "";
  if (library.empty()) return died(words(exit));
  died("could not start for want of " + library +
           " (add the folder that holds it to LD_LIBRARY_PATH or, in an installation, to "
           "libexec/kadvise/library-path)",
       /*overLimit=*/true);
}

void Engine::step() {
  if (!busy_) return;
  flush();
  if (busy_) receive(kListeningSeconds);
  if (busy_) watch();
}

// A request may be longer than the socket holds: what does not fit waits for the next step, so that an engine
// that does not read cannot stop us.
void Engine::flush() {
  while (!outgoing_.empty()) {
    ssize_t n = ::send(child_->requestFd(), outgoing_.data(), outgoing_.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return;  // full, or the engine is gone: receive() and watch() will tell
    outgoing_.erase(0, static_cast<std::size_t>(n));
  }
}

// An engine that never stops talking must not keep us from its limits and from the user's interrupt.
void Engine::receive(double mostSeconds) {
  using Clock = std::chrono::steady_clock;
  const auto begin = Clock::now();
  try {
    while (busy_ && std::chrono::duration<double>(Clock::now() - begin).count() < mostSeconds) {
      auto line = reader_->next(0);
      if (line) {
        accept(*line);
        continue;
      }
      if (reader_->timedOut()) return;
      if (auto exit = child_->waitFor(kLastWordsSeconds)) return ended(*exit);
      return died("hung up without ending and was stopped");
    }
  } catch (const Error&) {
    died(fmt::format("sent a message of more than {} MiB", kLineLimitBytes >> 20));
  }
}

void Engine::accept(const std::string& line) {
  Json message = parseForeign(line);
  if (!message.is_object() || !message["type"].is_string() || !message["body"].is_object() ||
      !message["version"].is_number_integer())
    return died("sent something that is not a message, " + quoted(line) + ",");
  if (message["version"] != kProtocolVersion)
    return died(fmt::format("speaks version {} of the protocol and this kadvise version {} (install both "
                            "from one build); noticed",
                            message["version"].dump(), kProtocolVersion),
                true);
  if (message["id"] != id_) return died("answered another request");
  heard_ = std::chrono::steady_clock::now();
  const std::string& type = message["type"].get_ref<const std::string&>();
  const Json& body = message["body"];
  if (type == "done") return finish({Reply::Kind::Done, body, {}, {}});
  try {
    if (type == "error")
      return finish({Reply::Kind::Refused,
                     {},
                     body.at("where").get<std::string>(),
                     withRemedy(body.at("what").get<std::string>())});
    if (handler_) handler_(type, body);
  } catch (const Json::exception& e) {
    died(std::string("sent a malformed ") + type + " (" + e.what() + ")");
  } catch (const Error& e) {
    died(std::string("sent a malformed ") + type + " (" + e.what() + ")");
  }
}

void Engine::watch() {
  // A grandchild can hold the pipe open after the engine's death.
  if (auto ended = child_->poll()) {
    receive(kLastWordsSeconds);  // what it said last
    if (busy_) this->ended(*ended);
    return;
  }
  if (limits_.seconds > 0 && seconds() > limits_.seconds)
    return died(fmt::format("was stopped at its limit of {} (--time-limit)", duration(limits_.seconds)),
                true);
  double silent = std::chrono::duration<double>(std::chrono::steady_clock::now() - heard_).count();
  if (silenceSeconds_ > 0 && silent > silenceSeconds_)
    return died(fmt::format("did not end in {} and was stopped", duration(silenceSeconds_)), true);
  if (limits_.computingSeconds > 0 && child_->computedSeconds() - computedBefore_ > limits_.computingSeconds)
    return died(fmt::format("was stopped after {} of computing, more than a file of this size should need "
                            "(--time-limit allows more),",
                            duration(limits_.computingSeconds)),
                true);
  if (!limits_.residentBytes || child_->residentBytes() <= limits_.residentBytes) return;
  died(fmt::format("was stopped at its limit of {:.3g} GiB of memory (--memory-limit)",
                   static_cast<double>(limits_.residentBytes) / (1u << 30)),
       true);
}

void waitFor(const std::vector<Engine*>& engines, const WaitHooks& hooks, const Engine* decisive) {
  if (hooks.tick) hooks.tick();  // what begins is told even when it ends at once
  while (true) {
    std::vector<pollfd> fds;
    bool busy = false;
    for (auto* e : engines) {
      e->step();
      busy |= e->busy();
      if (!e->busy()) continue;
      fds.push_back({e->readFd(), POLLIN, 0});
      fds.push_back({e->writeFd(), POLLOUT, 0});
    }
    if (hooks.interrupted && hooks.interrupted()) throw Interrupted{};
    if (!busy || (decisive && !decisive->busy())) return;
    if (hooks.tick) hooks.tick();
    ::poll(fds.data(), fds.size(), kTickMs);
  }
}

}  // namespace kadvise

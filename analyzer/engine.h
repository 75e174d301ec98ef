// An engine (kadvise-graph, kadvise-measure) as the front sees it: one request at a time, answered by
// messages. Whatever goes wrong in an engine is a value here, never an exception: the campaign decides what
// it means.
#pragma once

#include <chrono>
#include <deque>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/child.h"
#include "analyzer/core/channel.h"
#include "analyzer/interrupted.h"

namespace kadvise {

struct EngineLimits {
  double seconds = 600;           // for one request
  std::size_t residentBytes = 0;  // 0: no limit
  double computingSeconds = 0;  // processor time for one request, whatever else the machine does; 0: no limit
};

// How a request ended.
struct Reply {
  enum class Kind { Done, Refused, Died };
  Kind kind = Kind::Died;
  Json body;          // of done
  std::string where;  // of a refusal
  std::string
      reason;  // of a refusal or a death: "kadvise-measure was killed by SIGKILL while checking C3 (12 s)"
  bool overLimit = false;  // a death that would only happen again: the time or the memory was used up

  explicit operator bool() const { return kind == Kind::Done; }
};

using MessageHandler = std::function<void(const std::string& type, const Json& body)>;

class Engine {
 public:
  // Starts the program; a failure to start is the first request's reply.
  Engine(const Program&, std::filesystem::path log, EngineLimits);

  // doing: "checking C3", for people. handler receives finding, artefact, verdict and progress messages.
  // limits: for this request, in place of the engine's own.
  void send(const std::string& verb, const Json& arguments, std::string doing, MessageHandler handler,
            std::optional<EngineLimits> limits = std::nullopt);

  // For the rest of the request: between two messages no more than that may pass. 0: no limit.
  void limitSilence(double seconds) { silenceSeconds_ = seconds; }

  const std::string& name() const { return name_; }
  const std::string& doing() const { return doing_; }
  double seconds() const;  // since send
  bool busy() const { return busy_; }
  bool alive() const { return child_ != nullptr; }
  pid_t pid() const { return child_ ? child_->pid() : -1; }
  Reply take();  // once it is no longer busy
  // Tells it that nothing more will be asked, and waits for it to end; kills it when it does not.
  void end(double seconds);

  // For waitFor: writes what is left of the request, reads what has come, looks at the limits.
  void step();
  int readFd() const { return child_ ? child_->messageFd() : -1; }
  int writeFd() const { return child_ && !outgoing_.empty() ? child_->requestFd() : -1; }

 private:
  void flush();
  void receive(double mostSeconds);
  void accept(const std::string& line);
  void watch();
  void finish(Reply);
  void ended(const ChildExit&);
  void died(const std::string& how, bool overLimit = false);

  std::string name_;
  std::filesystem::path log_;
  EngineLimits ownLimits_, limits_;  // limits_: of the request
  double computedBefore_ = 0;        // processor seconds, at send
  std::unique_ptr<Child> child_;
  std::unique_ptr<LineReader> reader_;
  std::string outgoing_, doing_, startFailure_;
  MessageHandler handler_;
  std::chrono::steady_clock::time_point started_, heard_;
  double silenceSeconds_ = 0;
  int id_ = 0;
  bool busy_ = false;
  Reply reply_;
};

struct WaitHooks {
  std::function<void()> tick;         // a few times a second
  std::function<bool()> interrupted;  // asked as often
};

// Until none of them is busy, or as soon as the decisive one is not. Throws Interrupted.
void waitFor(const std::vector<Engine*>& engines, const WaitHooks&, const Engine* decisive = nullptr);

}  // namespace kadvise

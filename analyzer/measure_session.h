// kadvise-measure over a whole campaign: started again after a death, so that the campaign goes on with the
// next item.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "analyzer/engine.h"

namespace kadvise {

class MeasureSession {
 public:
  MeasureSession(Program, std::filesystem::path log, EngineLimits, Json openArguments);

  // Starts and sends `open` without waiting: the graph engine loads the same file meanwhile.
  void begin();
  // The same with some arguments of `open` changed, whatever came of the last; the engine goes on when it
  // lives.
  void beginWith(const Json& changes);
  Engine* engine() { return engine_.get(); }
  const EngineLimits& limits() const { return limits_; }
  // Ends what begin() began; tries once more after a death. Done's body is that of `opened`.
  Reply finishOpening(const WaitHooks&);

  // Restarts first when the engine has died; a death that cannot be mended is the reply, and usable() says
  // so.
  // limits: for this request, in place of the session's own.
  Reply request(const std::string& verb, const Json& arguments, const std::string& doing, MessageHandler,
                const WaitHooks&, std::optional<EngineLimits> limits = std::nullopt);
  // Lets the process end by itself, for what it does at its end.
  void end(double seconds);
  const Json& openArguments() const { return openArguments_; }
  // What comes next is asked of a fresh process.
  void startAfresh();
  bool usable() const { return failures_ < kMostFailures; }
  const std::string& whyUnusable() const { return lastReason_; }
  // Deaths while opening that a second start has mended.
  const std::vector<std::string>& mended() const { return mended_; }

 private:
  static constexpr int kMostFailures = 2;  // to open, in a row

  Program program_;
  std::filesystem::path log_;
  EngineLimits limits_;
  Json openArguments_;
  std::unique_ptr<Engine> engine_;
  bool open_ = false;
  int failures_ = 0;
  std::string lastReason_;
  std::vector<std::string> mended_;
};

}  // namespace kadvise

#include "analyzer/measure_session.h"

namespace kadvise {

MeasureSession::MeasureSession(Program program, std::filesystem::path log, EngineLimits limits,
                               Json openArguments)
    : program_(std::move(program)),
      log_(std::move(log)),
      limits_(limits),
      openArguments_(std::move(openArguments)) {}

void MeasureSession::begin() {
  engine_ = std::make_unique<Engine>(program_, log_, limits_);
  engine_->send("open", openArguments_, "loading the module", nullptr);
}

void MeasureSession::beginWith(const Json& changes) {
  openArguments_.update(changes);
  failures_ = 0;
  if (!engine_ || !engine_->alive() || engine_->busy()) return begin();
  engine_->send("open", openArguments_, "loading the module", nullptr);
}

Reply MeasureSession::finishOpening(const WaitHooks& hooks) {
  while (true) {
    waitFor({engine_.get()}, hooks);
    Reply reply = engine_->take();
    if (reply) {
      open_ = true;
      failures_ = 0;
      return reply;
    }
    lastReason_ = reply.reason;
    // What is refused once, or runs into a limit, will be again.
    failures_ = reply.kind == Reply::Kind::Refused || reply.overLimit ? kMostFailures : failures_ + 1;
    if (!usable()) return reply;
    mended_.push_back(reply.reason + "; it was started again");
    begin();
  }
}

Reply MeasureSession::request(const std::string& verb, const Json& arguments, const std::string& doing,
                              MessageHandler handler, const WaitHooks& hooks,
                              std::optional<EngineLimits> limits) {
  if (!usable()) return {Reply::Kind::Died, {}, "kadvise-measure", lastReason_};
  if (!open_) {
    begin();
    if (Reply opened = finishOpening(hooks); !opened) return opened;
  }
  engine_->send(verb, arguments, doing, std::move(handler), limits);
  waitFor({engine_.get()}, hooks);
  Reply reply = engine_->take();
  if (reply.kind == Reply::Kind::Died) open_ = false;
  return reply;
}

void MeasureSession::end(double seconds) {
  if (engine_) engine_->end(seconds);
  startAfresh();
}

void MeasureSession::startAfresh() {
  engine_.reset();
  open_ = false;
}

}  // namespace kadvise

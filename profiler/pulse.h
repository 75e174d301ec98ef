// Progress messages, at most a few a second. The front takes a long silence for a hang, so every loop that
// may run longer than a second beats.
#pragma once

#include <chrono>
#include <string>

#include "analyzer/core/channel.h"

namespace kadvise {

class Pulse {
 public:
  explicit Pulse(const Replies& replies) : replies_(&replies) {}
  Pulse() = default;  // says nothing

  // Before a step that may crash or hang: always said, so that the front knows what it was.
  void step(const std::string& what) {
    last_ = Clock::now();
    if (replies_) replies_->progress(what);
  }
  void beat(const std::string& what, double done, double total) {
    if (Clock::now() - last_ < std::chrono::milliseconds(300)) return;
    last_ = Clock::now();
    if (replies_) replies_->progress(what, done, total);
  }

 private:
  using Clock = std::chrono::steady_clock;
  const Replies* replies_ = nullptr;
  Clock::time_point last_{};
};

}  // namespace kadvise

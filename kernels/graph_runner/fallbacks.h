// Why calls ran plainly, and how often: what state() shows of them.
#pragma once

#include <cstddef>
#include <map>
#include <mutex>
#include <string>

namespace kadvise {

class Fallbacks {
 public:
  void note(const std::string& reason) {
    const std::lock_guard lock(mutex_);
    const bool isKnown = counts_.count(reason) != 0;
    ++counts_[isKnown || counts_.size() < kReasons ? reason : "other reasons"];
  }

  std::map<std::string, std::size_t> counts() const {
    const std::lock_guard lock(mutex_);
    return counts_;
  }

 private:
  static constexpr std::size_t kReasons = 32;  // messages of CUDA can hold numbers, and the list must end
  mutable std::mutex mutex_;
  std::map<std::string, std::size_t> counts_;
};

}  // namespace kadvise

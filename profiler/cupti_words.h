// Why CUPTI refuses, and what to do about it. Knows nothing of CUPTI's headers.
#pragma once

#include <string>

namespace kadvise {

// Empty reason: nothing was refused.
struct CuptiRefusal {
  std::string reason, remedy;
  explicit operator bool() const { return !reason.empty(); }
};

// result: a CUptiResult; text: CUPTI's own words for it; what: "kernel records", "hardware counters".
CuptiRefusal cuptiRefusal(const std::string& what, int result, const std::string& text);

// Where there is no device to ask.
CuptiRefusal noDeviceRefusal();

}  // namespace kadvise

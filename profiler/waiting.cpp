#include "profiler/waiting.h"

#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <system_error>

namespace kadvise {
namespace fs = std::filesystem;
namespace {

constexpr double kMostWaiting = 0.25;  // of the time on the wall
constexpr double kSliceUs = 3000;      // about what the scheduler gives to another

// Where the kernel keeps no account of waiting: each time that a thread was put aside was a slice.
double waitedBySwitches() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  return kSliceUs * static_cast<double>(usage.ru_nivcsw);
}

}  // namespace

double waitedUs() {
  double ns = 0;
  bool isKnown = false;
  std::error_code ec;
  for (fs::directory_iterator thread("/proc/self/task", ec), end; !ec && thread != end;
       thread.increment(ec)) {
    // Nanoseconds on a processor, nanoseconds of waiting for one, slices.
    std::ifstream file(thread->path() / "schedstat");
    double ran = 0, waited = 0;
    if (!(file >> ran >> waited)) continue;
    ns += waited;
    isKnown = true;
  }
  return isKnown ? ns / 1000 : waitedBySwitches();
}

WaitingWatch::WaitingWatch(ClockUs nowUs, ClockUs waited)
    : nowUs_(std::move(nowUs)), waitedUs_(std::move(waited)), startUs_(nowUs_()) {
  if (waitedUs_) startWaitedUs_ = waitedUs_();
}

bool WaitingWatch::isBusy() const {
  return waitedUs_ && waitedUs_() - startWaitedUs_ > kMostWaiting * (nowUs_() - startUs_);
}

std::string WaitingWatch::words() { return "its threads waited over a quarter of the time for a processor"; }

}  // namespace kadvise

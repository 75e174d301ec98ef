#include "profiler/warm_up.h"

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

namespace kadvise {
namespace {

constexpr int kSingleRuns =
    4;  // the executor's profiling run, its compiling run, and two that use the result
constexpr int kFewestRuns = 2;  // where the budget is short of one
constexpr int kQuietLooks = 3;  // in a row
constexpr int kMostLooks = 100;
constexpr double kLookUs = 3000;  // long enough for the host's timer
constexpr double kFaster = 0.95, kHigher = 1.01;

struct Look {
  int runs = 0;
  double us = 0;
  std::int64_t segments = 0;
  double clockMHz = 0;
  double usPerRun() const { return us / runs; }
};

Look look(const TimedRun& run, bool single, const Signs& signs, const ClockUs& nowUs) {
  Look out;
  run.synchronize();
  double start = nowUs();
  do {
    run.once();
    run.synchronize();
    ++out.runs;
    out.us = nowUs() - start;
  } while (!single && out.us < kLookUs && out.runs < 10000);
  if (signs.segments) out.segments = signs.segments();
  if (signs.clockMHz) out.clockMHz = signs.clockMHz();
  return out;
}

// The last runs stand for all that follow; the earlier ones took what they took beyond that.
WarmUp summary(const std::vector<Look>& looks, bool settled) {
  WarmUp out;
  out.settled = settled;
  std::size_t quiet = std::min<std::size_t>(looks.size(), kQuietLooks);
  double us = 0;
  int runs = 0;
  for (auto l = looks.end() - static_cast<std::ptrdiff_t>(quiet); l != looks.end(); ++l)
    us += l->us, runs += l->runs;
  out.runUs = us / runs;
  for (auto& l : looks) {
    out.runs += l.runs;
    out.compileMs += std::max(0.0, l.us - l.runs * out.runUs) / 1000;
  }
  return out;
}

}  // namespace

double steadyUs() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

WarmUp warmUp(const TimedRun& run, double budgetSeconds, const Signs& signs, const ClockUs& nowUs) {
  double endUs = nowUs() + 1e6 * budgetSeconds;
  std::vector<Look> looks;
  double fastestUs = std::numeric_limits<double>::infinity();
  for (int quiet = 0; static_cast<int>(looks.size()) < kMostLooks;) {
    int done = static_cast<int>(looks.size());
    Look now = look(run, done < kSingleRuns, signs, nowUs);
    bool isNew = now.usPerRun() < kFaster * fastestUs;
    if (done > 0)
      isNew |= now.segments > looks.back().segments || now.clockMHz > kHigher * looks.back().clockMHz;
    quiet = isNew ? 0 : quiet + 1;
    fastestUs = std::min(fastestUs, now.usPerRun());
    looks.push_back(now);
    if (done + 1 >= kSingleRuns && quiet >= kQuietLooks) return summary(looks, true);
    if (done + 1 >= kFewestRuns && nowUs() > endUs) break;
  }
  return summary(looks, false);
}

}  // namespace kadvise

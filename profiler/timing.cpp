#include "profiler/timing.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <random>
#include <utility>

#include "profiler/waiting.h"

namespace kadvise {
namespace {

constexpr std::size_t kMostSamples = 200;
constexpr int kFewestToStop = 20;      // units: a quieter start than that may be luck
constexpr double kCheckGrowth = 1.25;  // widths are looked at after 20, 25, 32, ... units
constexpr int kBlocksPerUnit = 6;
constexpr int kLeadInRuns = 4;  // a block of at least so many begins with one that is not timed
constexpr double kMostDisturbed = 0.5;

// A side whose typical block takes this many times its fastest was not running alone: with two threads on two
// busy cores every barrier waits for the scheduler, on one side of a comparison and not on the other, and the
// control, which suffers as much on both of its sides, does not show it.
constexpr double kBusyFactor = 3;

int repetitionsFor(double blockUs, double runUs) {
  return static_cast<int>(std::clamp(std::ceil(blockUs / std::max(runUs, 0.01)), 1.0, 100000.0));
}

struct Side {
  const TimedRun& run;
  int repetitions = 1;
  double blockUs = 0;  // about
};

class PairTiming {
 public:
  PairTiming(const TimedRun& before, const TimedRun& after, const TimingPlan& plan, Pulse& pulse)
      : plan_(plan), pulse_(pulse), before_{before}, after_{after}, random_(plan.seed) {
    endUs_ = plan.nowUs() + 1e6 * plan.budgetSeconds;
    fewest_ = fewestValues(missingOf(plan.candidates));
  }

  Comparison run() {
    double share = plan_.budgetSeconds / 8;
    out_.beforeWarmUp = warmUp(before_.run, share, plan_.signs, plan_.nowUs);
    out_.afterWarmUp = warmUp(after_.run, share, plan_.signs, plan_.nowUs);
    // Shorter blocks, where the budget would not hold enough long ones.
    double blockUs = std::min(plan_.blockUs, (endUs_ - plan_.nowUs()) / (kBlocksPerUnit * fewest_));
    fit(before_, blockUs, out_.beforeWarmUp.runUs);
    fit(after_, blockUs, out_.afterWarmUp.runUs);
    WaitingWatch waiting(plan_.nowUs, plan_.waitedUs);
    measure();
    waited_ = waiting.isBusy();
    judge();
    return std::move(out_);
  }

 private:
  double microseconds(const Side& side) {
    // What the other side has left in the caches is not this side's to clear up.
    if (side.repetitions >= kLeadInRuns) side.run.once();
    side.run.synchronize();
    double start = plan_.nowUs();
    for (int i = 0; i < side.repetitions; ++i) side.run.once();
    side.run.synchronize();
    return plan_.nowUs() - start;
  }

  // The warm-up waited after every run, and a block does not: one block shows how many runs fill it.
  void fit(Side& side, double blockUs, double runUs) {
    side.repetitions = repetitionsFor(blockUs, runUs);
    side.blockUs = microseconds(side);
    if (side.repetitions == 1 || side.blockUs <= 0) return;
    runUs = side.blockUs / side.repetitions;
    side.repetitions = repetitionsFor(blockUs, runUs);
    side.blockUs = runUs * side.repetitions;
  }

  double unitUs() const { return 4 * before_.blockUs + 2 * after_.blockUs; }

  void measure() {
    double fitting = (endUs_ - plan_.nowUs()) / std::max(unitUs(), 1e-3);
    double expected = std::clamp(fitting, 1.0, double(plan_.mostUnits));
    int mostWithRepeats = plan_.mostUnits + plan_.mostUnits / 2;
    double nextCheck = kFewestToStop;
    for (int i = 0; i < mostWithRepeats && (i == 0 || hasTime()); ++i) {
      measureUnit();
      pulse_.beat("timing", i + 1, std::max<double>(i + 1, expected));
      double kept = static_cast<double>(undisturbed().size());
      if (kept >= plan_.mostUnits) return;
      if (kept < nextCheck) continue;
      nextCheck = std::ceil(kept * kCheckGrowth);
      if (isNarrow()) return;
    }
  }

  bool hasTime() const {
    const double now = plan_.nowUs();
    if (now < endUs_) return true;
    const int missing = fewest_ - static_cast<int>(undisturbed().size());
    return missing > 0 && now + missing * unitUs() < endUs_ + 1e6 * plan_.overtimeSeconds;
  }

  void measureUnit() {
    Unit unit;
    UnitReadings readings;
    std::array<Block, 3> roles = {Block{before_, unit.beforeUs, readings.before},
                                  Block{after_, unit.afterUs, readings.after},
                                  Block{before_, unit.controlUs, readings.control}};
    std::array<int, 3> order = {0, 1, 2};
    // Not std::shuffle: its results differ between standard libraries.
    std::swap(order[2], order[random_() % 3]);
    std::swap(order[1], order[random_() % 2]);
    for (int role : order) measureBlock(roles[static_cast<std::size_t>(role)], 0);
    std::reverse(order.begin(), order.end());
    for (int role : order) measureBlock(roles[static_cast<std::size_t>(role)], 1);
    units_.push_back(unit);
    readings_.push_back(readings);
  }

  struct Block {
    const Side& side;
    std::array<double, 2>& us;
    BlockReadings& readings;
  };
  void measureBlock(Block& block, std::size_t place) {
    block.us[place] = microseconds(block.side) / block.side.repetitions;
    if (plan_.reading) block.readings[place] = plan_.reading();
  }

  // Where the clock never rests there is no usual one, and all units count.
  std::vector<Unit> undisturbed() const {
    std::vector<bool> disturbed = disturbedUnits(readings_);
    auto count = static_cast<double>(std::count(disturbed.begin(), disturbed.end(), true));
    if (count > kMostDisturbed * static_cast<double>(units_.size())) return units_;
    std::vector<Unit> out;
    for (std::size_t i = 0; i < units_.size(); ++i)
      if (!disturbed[i]) out.push_back(units_[i]);
    return out;
  }

  bool isNarrow() const {
    double missing = missingOf(plan_.candidates);
    auto units = undisturbed();
    return halfWidthOf(speedupOf(units, missing)) <= plan_.targetHalfWidth &&
           halfWidthOf(controlOf(units, missing)) <= plan_.targetHalfWidth;
  }

  void judge() {
    std::vector<Unit> units = undisturbed();
    double missing = missingOf(plan_.candidates);
    out_.units = static_cast<int>(units.size());
    out_.repeated = static_cast<int>(units_.size() - units.size());
    out_.speedup = speedupOf(units, missing);
    out_.control = controlOf(units, missing);
    out_.before = timingOf(units, &Unit::beforeUs);
    out_.after = timingOf(units, &Unit::afterUs);
    out_.reason = figures();
    out_.outcome = judgeSpeedup(out_.speedup, noiseOf(out_.control));
    doubt();
  }

  static Timing timingOf(const std::vector<Unit>& units, std::array<double, 2> Unit::* side) {
    Timing t;
    t.regime = "warm";
    for (const Unit& u : units)
      for (double us : u.*side)
        if (t.wallUs.size() < kMostSamples) t.wallUs.push_back(us);
    return t;
  }

  std::string figures() const {
    char text[200];
    std::snprintf(text, sizeof text, "%d ABBA unit%s, before against itself %.3f to %.3f", out_.units,
                  out_.units == 1 ? "" : "s", out_.control.low, out_.control.high);
    std::string out = text;
    if (out_.repeated > 0)
      out += "; " + std::to_string(out_.repeated) + " repeated since the GPU's clock had moved";
    if (!out_.beforeWarmUp.settled || !out_.afterWarmUp.settled)
      out += "; the first runs had not settled when their share of the budget ended";
    return out;
  }

  // What forbids a judgement whatever the interval says.
  void doubt() {
    if (waited_) {
      out_.before.throttled = out_.after.throttled = true;
      distrust("the machine was busy with other work (" + WaitingWatch::words() + ")");
    } else if (wasDisturbed(out_.before) || wasDisturbed(out_.after)) {
      out_.before.throttled = out_.after.throttled = true;
      distrust("the machine was busy with other work (a typical block took over 3 times the fastest)");
    }
    if (out_.units < fewest_) {
      distrust("too few within the budget to judge");
      // No figure at all: one unit's interval would look like certainty.
      out_.speedup = {std::nan(""), std::nan(""), std::nan("")};
      return;
    }
    Outcome control = judgeSpeedup(out_.control, 0);
    if (control == Outcome::Faster || control == Outcome::Slower)
      distrust("the original does not take the same time as itself");
  }

  void distrust(const std::string& why) {
    out_.outcome = Outcome::Ambiguous;
    out_.reason += "; " + why;
  }

  static bool wasDisturbed(const Timing& side) {
    if (side.wallUs.empty()) return false;
    double fastest = *std::min_element(side.wallUs.begin(), side.wallUs.end());
    return median(side.wallUs) > kBusyFactor * fastest;
  }

  const TimingPlan& plan_;
  Pulse& pulse_;
  Side before_, after_;
  std::mt19937_64 random_;
  double endUs_ = 0;
  int fewest_ = 0;
  bool waited_ = false;
  std::vector<Unit> units_;
  std::vector<UnitReadings> readings_;
  Comparison out_;
};

}  // namespace

Comparison compareTimes(const TimedRun& before, const TimedRun& after, const TimingPlan& plan, Pulse& pulse) {
  return PairTiming(before, after, plan, pulse).run();
}

}  // namespace kadvise

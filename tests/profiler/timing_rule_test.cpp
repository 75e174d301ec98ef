// What the rule of timing.h is worth on machines that are worse than ours: how often equal modules are called
// faster or slower, and how often a slow-down is found. Time is simulated, so hundreds of campaigns take
// seconds.
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <numbers>
#include <random>

#include "profiler/timing.h"

namespace kadvise {
namespace {

class Machine {
 public:
  explicit Machine(std::uint64_t seed) : random_(seed) {}

  // What multiplies a run's time now.
  std::function<double(Machine&)> factor = [](Machine&) { return 1.0; };

  double seconds() const { return nowUs_ / 1e6; }
  double uniform() { return std::uniform_real_distribution<>()(random_); }
  double normal() { return std::normal_distribution<>()(random_); }

  TimedRun running(double us) {
    return {[this, us] { nowUs_ += us * factor(*this); }, [this] { nowUs_ += 3 + 2 * uniform(); }};
  }
  Comparison compare(double beforeUs, double afterUs) {
    TimingPlan plan;
    plan.budgetSeconds = 2;
    plan.blockUs = 2000;
    plan.seed = random_();
    plan.nowUs = [this] { return nowUs_; };
    Pulse silent;
    return compareTimes(running(beforeUs), running(afterUs), plan, silent);
  }

 private:
  std::mt19937_64 random_;
  double nowUs_ = 0;
};

struct Weather {
  const char* name;
  double (*factor)(Machine&);
  bool isRough = false;  // so that a small slow-down may stay unnoticed
};

double jitter(Machine& m) { return 1 + 0.05 * std::abs(m.normal()); }
double wave(Machine& m, double periodSeconds) {
  return std::sin(2 * std::numbers::pi * m.seconds() / periodSeconds);
}
bool isFirstPart(Machine& m, double partSeconds, double periodSeconds) {
  return std::fmod(m.seconds(), periodSeconds) < partSeconds;
}

const Weather kWeathers[] = {
    {"Jitter", jitter},
    {"Drift", [](Machine& m) { return jitter(m) * (1 + 0.3 * m.seconds()); }},
    {"Tails", [](Machine& m) { return m.uniform() < 0.002 ? 2 + 2 * m.uniform() : jitter(m); }},
    {"HeavyTails", [](Machine& m) { return m.uniform() < 0.02 ? 2 + 6 * m.uniform() : jitter(m); }, true},
    {"PeriodicWork", [](Machine& m) { return jitter(m) * (isFirstPart(m, 0.001, 0.023) ? 1.15 : 1); }},
    {"MuchPeriodicWork", [](Machine& m) { return jitter(m) * (isFirstPart(m, 0.004, 0.017) ? 1.3 : 1); },
     true},
    {"Waves", [](Machine& m) { return jitter(m) * (1 + 0.05 * wave(m, 0.1)); }},
    {"RareStepsOfTheClock", [](Machine& m) { return jitter(m) * (isFirstPart(m, 0.7, 1.3) ? 1.3 : 1); }},
    {"StepsOfTheClock", [](Machine& m) { return jitter(m) * (isFirstPart(m, 0.2, 0.4) ? 1.3 : 1); }, true},
    {"ALateWarmUp", [](Machine& m) { return jitter(m) * (m.seconds() < 0.3 ? 1.5 : 1); }},
};

constexpr int kCampaigns = 200;
constexpr double kRunUs[] = {11, 100, 700, 9000};

struct Tally {
  int faster = 0, slower = 0, same = 0;
};

Tally tally(const Weather& weather, double slowDown) {
  Tally out;
  for (int i = 0; i < kCampaigns; ++i) {
    Machine m(static_cast<std::uint64_t>(1000 + i));
    m.factor = weather.factor;
    double us = kRunUs[static_cast<std::size_t>(i) % std::size(kRunUs)];
    Outcome o = m.compare(us, us * slowDown).outcome;
    out.faster += o == Outcome::Faster;
    out.slower += o == Outcome::Slower;
    out.same += o == Outcome::Same;
  }
  return out;
}

class TimingRule : public testing::TestWithParam<Weather> {};

TEST_P(TimingRule, CallsEqualWorkNeitherFasterNorSlower) {
  Tally t = tally(GetParam(), 1);
  EXPECT_LE(t.faster + t.slower, kCampaigns / 100);
  EXPECT_GE(t.same, GetParam().isRough ? 1 : kCampaigns * 9 / 10);
}

TEST_P(TimingRule, FindsASlowDownOfFivePercent) {
  EXPECT_GE(tally(GetParam(), 1.05).slower, kCampaigns * (GetParam().isRough ? 20 : 57) / 60);
}

TEST_P(TimingRule, NeverCallsASlowDownOfTwoPercentFaster) { EXPECT_EQ(tally(GetParam(), 1.02).faster, 0); }

INSTANTIATE_TEST_SUITE_P(On, TimingRule, testing::ValuesIn(kWeathers),
                         [](auto& info) { return std::string(info.param.name); });

}  // namespace
}  // namespace kadvise

#include "profiler/statistics.h"

#include <algorithm>
#include <cmath>
#include <random>

namespace kadvise {

double quantile(std::vector<double> values, double q) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  double at = std::clamp(q, 0.0, 1.0) * static_cast<double>(values.size() - 1);
  auto low = static_cast<std::size_t>(at);
  auto high = std::min(low + 1, values.size() - 1);
  double part = at - static_cast<double>(low);
  return values[low] * (1 - part) + values[high] * part;
}

double median(std::vector<double> values) { return quantile(std::move(values), 0.5); }

Interval bootstrapMedian(const std::vector<double>& values, std::uint64_t seed, int resamples) {
  if (values.empty()) return {};
  // Not std::uniform_int_distribution: its results differ between standard libraries.
  std::mt19937_64 random(seed);
  std::vector<double> medians, sample(values.size());
  medians.reserve(static_cast<std::size_t>(resamples));
  for (int r = 0; r < resamples; ++r) {
    for (double& v : sample) v = values[random() % values.size()];
    medians.push_back(median(sample));
  }
  return {quantile(medians, 0.025), median(values), quantile(medians, 0.975)};
}

Interval speedupOf(const std::vector<Unit>& units, std::uint64_t seed) {
  std::vector<double> logRatios;
  for (const Unit& u : units)
    logRatios.push_back(0.5 * (std::log(u.beforeUs[0]) + std::log(u.beforeUs[1]) - std::log(u.afterUs[0]) -
                               std::log(u.afterUs[1])));
  if (logRatios.empty()) return {};
  Interval logs = bootstrapMedian(logRatios, seed);
  return {std::exp(logs.low), std::exp(logs.mid), std::exp(logs.high)};
}

double noiseOf(const Interval& control) {
  return std::max(std::abs(control.low - 1), std::abs(control.high - 1));
}

Outcome judgeSpeedup(const Interval& speedup, double noise, double least) {
  double margin = 1 + std::max(least, noise);
  if (speedup.low > margin) return Outcome::Faster;
  if (speedup.high < 1 / margin) return Outcome::Slower;
  if (speedup.low >= 1 / (1 + least) && speedup.high <= 1 + least) return Outcome::Same;
  return Outcome::Ambiguous;
}

}  // namespace kadvise

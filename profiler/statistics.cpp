#include "profiler/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kadvise {
namespace {

// P(X >= least) of X ~ Binomial(n, p).
double atLeast(int least, int n, double p) {
  if (least <= 0) return 1;
  if (p <= 0) return 0;
  if (p >= 1) return 1;
  double sum = 0;
  for (int k = least; k <= n; ++k) {
    double logWays = std::lgamma(n + 1.0) - std::lgamma(k + 1.0) - std::lgamma(n - k + 1.0);
    sum += std::exp(logWays + k * std::log(p) + (n - k) * std::log1p(-p));
  }
  return std::min(sum, 1.0);
}

// The first place (from 1) in the sorted values at which the rank-th smallest value of a resample lies with
// at least this probability.
int placeOf(int rank, int n, double probability) {
  for (int place = 1; place < n; ++place)
    if (atLeast(rank, n, double(place) / n) >= probability) return place;
  return n;
}

double logOf(const std::array<double, 2>& blocks) {
  return 0.5 * (std::log(blocks[0]) + std::log(blocks[1]));
}

Interval ratioOf(const std::vector<Unit>& units, double missing, double (*logRatio)(const Unit&)) {
  std::vector<double> logs;
  for (const Unit& u : units) logs.push_back(logRatio(u));
  if (logs.empty()) return {};
  Interval i = bootstrapMedian(std::move(logs), missing);
  return {std::exp(i.low), std::exp(i.mid), std::exp(i.high)};
}

}  // namespace

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

double missingOf(int candidates) { return kMissing / std::max(candidates, 1); }

Interval bootstrapMedian(std::vector<double> values, double missing) {
  if (values.empty()) return {};
  std::sort(values.begin(), values.end());
  int n = static_cast<int>(values.size());
  // An even number has two middle values: the interval runs from the lower end of the lower to the upper end
  // of the upper one, which is a little wider than that of their mean.
  int lowerRank = (n + 1) / 2, upperRank = n / 2 + 1;
  auto at = [&](int place) { return values[static_cast<std::size_t>(place - 1)]; };
  return {at(placeOf(lowerRank, n, missing / 2)), median(values), at(placeOf(upperRank, n, 1 - missing / 2))};
}

int fewestValues(double missing) { return static_cast<int>(std::ceil(1 - std::log2(missing))); }

Interval speedupOf(const std::vector<Unit>& units, double missing) {
  return ratioOf(units, missing, [](const Unit& u) {
    return 0.5 * (logOf(u.beforeUs) + logOf(u.controlUs)) - logOf(u.afterUs);
  });
}

Interval controlOf(const std::vector<Unit>& units, double missing) {
  return ratioOf(units, missing, [](const Unit& u) { return logOf(u.beforeUs) - logOf(u.controlUs); });
}

double halfWidthOf(const Interval& i) {
  bool known = i.low > 0 && std::isfinite(i.low) && std::isfinite(i.high);
  return known ? 0.5 * std::log(i.high / i.low) : std::numeric_limits<double>::infinity();
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

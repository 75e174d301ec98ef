// The arithmetic of a timing verdict, on plain numbers. Standard library and core only.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "analyzer/core/types.h"

namespace kadvise {

// Both throw nothing and answer 0 for an empty list.
double median(std::vector<double> values);
double quantile(std::vector<double> values, double q);  // q in [0,1], linear between neighbours

// Median with a 95% percentile-bootstrap interval over the values. The same values give the same interval.
Interval bootstrapMedian(const std::vector<double>& values, std::uint64_t seed = 1, int resamples = 2000);

// One ABBA unit: two blocks of each side, in microseconds per run, taken close together in time so that a
// slow drift of the clock falls on both sides alike.
struct Unit {
  std::array<double, 2> beforeUs{}, afterUs{};
};

// Time of before divided by time of after: > 1 means that after is faster.
Interval speedupOf(const std::vector<Unit>& units, std::uint64_t seed = 1);

// How far from 1 the control (a module against itself) may be: the bias and the half-width of its interval
// together.
double noiseOf(const Interval& control);

// Faster and Slower need the whole interval beyond 1 + max(least, noise); Same needs the whole interval
// within 1 +- least; what is neither is Ambiguous.
Outcome judgeSpeedup(const Interval& speedup, double noise, double least = 0.03);

}  // namespace kadvise

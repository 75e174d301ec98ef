// The arithmetic of a timing verdict, on plain numbers. Standard library and core only.
#pragma once

#include <array>
#include <vector>

#include "analyzer/core/least_gain.h"
#include "analyzer/core/types.h"

namespace kadvise {

// Both throw nothing and answer 0 for an empty list.
double median(std::vector<double> values);
double quantile(std::vector<double> values, double q);  // q in [0,1], linear between neighbours

// How often an interval may miss the truth. Every one of n candidates of a run has a chance to look good by
// luck, so each gets the nth part (Bonferroni).
inline constexpr double kMissing = 0.05;
double missingOf(int candidates);

// Median with its percentile-bootstrap interval over the values. Which of the sorted values the median of a
// resample is follows a binomial distribution, so nothing is drawn: the same values give the same interval,
// at any level.
Interval bootstrapMedian(std::vector<double> values, double missing = kMissing);

// With fewer values the smallest and the largest of them miss the median more often than that.
int fewestValues(double missing);

// One unit: two blocks of each role in an order that is its own mirror image, in microseconds per run, taken
// close together in time so that a slow drift of the clock falls on all alike. The control is before once
// more.
struct Unit {
  std::array<double, 2> beforeUs{}, afterUs{}, controlUs{};
};

// Time of before (and of the control, which is the same) divided by time of after: > 1 means that after is
// faster.
Interval speedupOf(const std::vector<Unit>& units, double missing = kMissing);

// Time of before divided by that of the control, which would be 1 but for noise.
Interval controlOf(const std::vector<Unit>& units, double missing = kMissing);

// Half of the interval's width as a share of the figure: 0.01 is +-1 %. Infinite when there is none.
double halfWidthOf(const Interval&);

// How far from 1 the control may be: the bias and the half-width of its interval together.
double noiseOf(const Interval& control);

// Faster and Slower need the whole interval beyond 1 + max(least, noise); Same needs the whole interval
// within 1 +- least; what is neither is Ambiguous.
Outcome judgeSpeedup(const Interval& speedup, double noise, double least = kLeastGain);

}  // namespace kadvise

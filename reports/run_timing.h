// Times of two runs, one after the other: nothing interleaves them, so small differences say nothing.
#pragma once

#include "reports/report.h"

namespace kadvise {

// Between runs clocks, neighbours and the allocator differ by some per cent.
inline constexpr double kLeastChange = 0.05;

// The median of one call and its 95 % interval, from the order of the samples; zeros when nothing was timed.
Interval medianInterval(const Measurement&);

// Whether b is clearly above a: the intervals are apart, and the middles by more than kLeastChange.
bool isClearlyAbove(const Interval& b, const Interval& a);

// Of one call, all launches of a kernel together.
struct KernelTime {
  std::string name;
  double us = 0, launches = 0;
};
// Of the module as it was optimised, or of the profile; by name. Empty where none were recorded.
std::vector<KernelTime> kernelTimes(const Report&);

}  // namespace kadvise

// What "faster" has to clear.
#pragma once

namespace kadvise {

// A module that is loaded a second time is not as fast as the first one to the last percent, since its memory
// and its code lie elsewhere, and no repetition in one process shows that. Two loads of one module were up to
// 0.6 % apart on an H200 (tests/bench/results/timing_campaigns.h200.txt); three times that leaves room for
// other machines, and a change of 5 % is still found in every campaign. The whole interval must be beyond
// this.
inline constexpr double kLeastGain = 0.02;

}  // namespace kadvise

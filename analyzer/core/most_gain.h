// What "faster" cannot reach.
#pragma once

namespace kadvise {

// Times as fast, on a CPU. No replacement gains as much there: where the figure says so, calls of the
// original have most likely stalled, or the machine had other work, and the figure is not shown.
inline constexpr double kMostGainOnCpu = 20;

}  // namespace kadvise

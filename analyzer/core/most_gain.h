// What "faster" cannot reach.
#pragma once

namespace kadvise {

// Times as fast, on a CPU. No replacement gains as much there: where the figure says so, calls of the
// original stalled or the machine had other work, and the figure is no figure.
inline constexpr double kMostGainOnCpu = 20;

}  // namespace kadvise

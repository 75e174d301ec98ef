// What "faster" and "slower" cannot reach.
#pragma once

namespace kadvise {

// Times as fast, on a CPU. No replacement gains as much there, nor loses it: where the figure says so, calls
// of one side have most likely stalled, or the machine had other work, and the figure is not shown.
inline constexpr double kMostGainOnCpu = 20;

// No figure at all is none to be doubted.
inline bool isCredibleOnCpu(double speedup) {
  return !(speedup > kMostGainOnCpu) && !(speedup < 1 / kMostGainOnCpu);
}

}  // namespace kadvise

// Which units of a timing were not measured under the same conditions as the others, told by the GPU's own
// figures and not by the times: to drop a time for its value would be to choose the result.
#pragma once

#include <array>
#include <vector>

namespace kadvise {

// What the GPU said right after a block.
struct ClockReading {
  double mhz = 0;  // of the multiprocessors; 0: unknown
  bool isHeldBack =
      false;  // by heat or by the power supply, which come and go; a steady power cap is no disturbance
};

using BlockReadings = std::array<ClockReading, 2>;
struct UnitReadings {
  BlockReadings before, after, control;
};

// A unit is disturbed when one of its blocks was held back, or ran at a clock that is more than 5 % from the
// median of its own side: two modules that draw different power run at different clocks, each at its own.
std::vector<bool> disturbedUnits(const std::vector<UnitReadings>&);

}  // namespace kadvise

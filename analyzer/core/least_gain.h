// What "faster" has to clear.
#pragma once

namespace kadvise {

// A module that is loaded a second time is not as fast as the first one to the last percent, since its memory
// and its code lie elsewhere, and no repetition in one process shows that. The whole interval must be beyond
// this.
inline constexpr double kLeastGain = 0.02;

}  // namespace kadvise

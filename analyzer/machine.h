// What this machine has.
#pragma once

#include <cstddef>

namespace kadvise {

// The machine's memory, or less where a control group allows less; 0 when it cannot be read.
std::size_t memoryBytes();

}  // namespace kadvise

// What every generated kernel begins with: types, memory access, conversions and functions, as CUDA text
// without headers. All inline PTX stands between `#ifndef KADVISE_EMULATION` and its `#endif`;
// tests/kernels/emulation/ has the same functions for a CPU.
#pragma once

#include <string_view>

namespace kadvise::rowprogram {

std::string_view prelude();

}  // namespace kadvise::rowprogram

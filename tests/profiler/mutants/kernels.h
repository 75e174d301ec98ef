// Wrong kernels. Without nvcc they are left out, and do nothing.
#pragma once

#include <cstdint>

namespace kadvise::mutants::cuda {

// Late, on a stream that the caller's does not wait for.
void doubleOnOtherStream(const float* x, float* y, std::int64_t count);
// Of 256 elements each; what is left over is not written.
void doubleWholeBlocks(const float* x, float* y, std::int64_t count);
// One thread for each element, and all of a row add to its sum without an atomic operation.
void racySums(const float* x, float* y, std::int64_t rows, std::int64_t columns);
void setPersistingL2(std::int64_t bytes);

}  // namespace kadvise::mutants::cuda

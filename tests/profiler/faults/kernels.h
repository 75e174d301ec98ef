// The device halves of the failing operators. Each starts and does not wait.
#pragma once

namespace kadvise::faults::cuda {

void loopForever();
void illegalAddress();
void misalignedAddress();
void failedAssert();
void readBeyond(const float* x, float* y, long long count);

}  // namespace kadvise::faults::cuda

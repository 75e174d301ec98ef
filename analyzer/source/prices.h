// What a finding costs on the architecture that the file is read for: by what the source says and the figures
// of data sheets. Where no size is known, it is the price of one access.
#pragma once

#include "analyzer/core/types.h"
#include "analyzer/source/warp_access.h"

namespace kadvise::source {

Price trafficPrice(const Unit&, const WarpAccess&);  // sectors moved against needed
Price turnsPrice(const WarpAccess&);                 // of the banks of shared memory
Price constantPrice(const WarpAccess&);              // of the constant cache
Price doublePrice(const Unit&);                      // FP64 against FP32
Price atomicPrice(std::size_t lanes);
Price instructionsPrice(int taken, const char* what);  // where one would do
Price localPrice(const Unit&, std::int64_t bytesOfThread);

}  // namespace kadvise::source

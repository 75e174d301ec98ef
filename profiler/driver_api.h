// The few functions of the CUDA driver that the runtime does not offer. The driver is not linked: a machine
// without a GPU has none.
#pragma once

#include <cuda.h>

#include <string>

namespace kadvise {

// The address of a function of libcuda, which must have been loaded (by any use of the runtime); nullptr when
// it has not.
void* driverSymbol(const char* name);

// The context that is current in this thread; nullptr for none.
CUcontext currentContext();

// The kernel of a graph's node as the linker names it; "" for nodes of other kinds, and when the driver does
// not say.
std::string kernelNameOf(CUgraphNode);

}  // namespace kadvise

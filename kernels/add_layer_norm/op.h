// add + LayerNorm on the CPU side of torch: what its files share.
#pragma once

#include "kernels/add_layer_norm/launch.h"

namespace kadvise {

// The same as the CUDA kernel, on the CPU, with torch's threads, for Float and BFloat16. Returns when done.
void addLayerNormCpu(const AddLayerNormArgs& args);

}  // namespace kadvise

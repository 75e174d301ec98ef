#include "kernels/upsample/kernel.cuh"

template cudaError_t kadvise::launchUpsample<kadvise::UpsampleMode::Bicubic>(const kadvise::UpsampleArgs&,
                                                                             cudaStream_t);

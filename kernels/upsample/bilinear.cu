#include "kernels/upsample/kernel.cuh"

template cudaError_t kadvise::launchUpsample<kadvise::UpsampleMode::Bilinear>(const kadvise::UpsampleArgs&,
                                                                              cudaStream_t);

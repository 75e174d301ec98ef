#include "kernels/pool/kernel.cuh"

template cudaError_t kadvise::launchPool<kadvise::PoolKind::Average>(const kadvise::PoolArgs&, cudaStream_t);

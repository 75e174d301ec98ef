#include "kernels/group_norm/launch_forms.cuh"

template cudaError_t kadvise::launchGroupNorm<__half>(const kadvise::GroupNormArgs&, cudaStream_t);

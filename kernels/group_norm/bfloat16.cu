#include "kernels/group_norm/launch_forms.cuh"

template cudaError_t kadvise::launchGroupNorm<__nv_bfloat16>(const kadvise::GroupNormArgs&, cudaStream_t);

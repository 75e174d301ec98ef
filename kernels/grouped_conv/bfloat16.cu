#include "kernels/grouped_conv/launch.cuh"

template cudaError_t kadvise::launchGroupedConv<__nv_bfloat16>(const kadvise::GroupedConvArgs&,
                                                               const kadvise::GroupedPlan&, cudaStream_t);

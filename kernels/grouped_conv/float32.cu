#include "kernels/grouped_conv/launch.cuh"

template cudaError_t kadvise::launchGroupedConv<float>(const kadvise::GroupedConvArgs&,
                                                       const kadvise::GroupedPlan&, cudaStream_t);

#include "kernels/grouped_conv/launch.cuh"

template cudaError_t kadvise::launchGroupedConv<__half>(const kadvise::GroupedConvArgs&,
                                                        const kadvise::GroupedPlan&, cudaStream_t);

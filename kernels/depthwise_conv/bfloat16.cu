#include "kernels/depthwise_conv/launch_forms.cuh"

template cudaError_t kadvise::launchDepthwiseForms<__nv_bfloat16>(const kadvise::DepthwiseArgs&,
                                                                  cudaStream_t);

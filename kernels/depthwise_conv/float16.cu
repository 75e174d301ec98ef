#include "kernels/depthwise_conv/launch_forms.cuh"

template cudaError_t kadvise::launchDepthwiseForms<__half>(const kadvise::DepthwiseArgs&, cudaStream_t);

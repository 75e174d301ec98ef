#include "kernels/depthwise_conv/launch_forms.cuh"

template cudaError_t kadvise::launchDepthwiseForms<float>(const kadvise::DepthwiseArgs&, cudaStream_t);

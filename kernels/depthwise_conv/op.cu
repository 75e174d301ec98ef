// depthwise_conv on a GPU: the entry points.
#include "kernels/common/dtypes.cuh"
#include "kernels/depthwise_conv/launch_forms.cuh"
#include "kernels/kernels.h"

namespace kadvise {

// In a file for each.
extern template cudaError_t launchDepthwiseForms<float>(const DepthwiseArgs&, cudaStream_t);
extern template cudaError_t launchDepthwiseForms<__half>(const DepthwiseArgs&, cudaStream_t);
extern template cudaError_t launchDepthwiseForms<__nv_bfloat16>(const DepthwiseArgs&, cudaStream_t);

}  // namespace kadvise

extern "C" KADVISE_KERNELS_API int kadvise_cuda_depthwise_conv_serves(const kadvise::DepthwiseArgs* args) {
  if (args->wideWeights) return kadvise::hasImageForm(*args) ? 1 : 0;
  if (!kadvise::isDense(*args) && kadvise::bandTiles(*args) > 0 && kadvise::bandsPay(*args)) return 2;
  return kadvise::hasStrips(*args) ? 1 : 0;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_depthwise_conv(const kadvise::DepthwiseArgs* args,
                                                                       void* stream) {
  const auto error = kadvise::withElementType(args->dtype, [&](auto type) {
    return kadvise::launchDepthwiseForms<typename decltype(type)::type>(*args,
                                                                        static_cast<cudaStream_t>(stream));
  });
  return kadvise::sentenceOf(error, "kadvise::depthwise_conv: starting its kernel");
}

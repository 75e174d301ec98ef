// The upsampling operators on a GPU: the entry point.
#include "kernels/kernels.h"
#include "kernels/upsample/kernel.cuh"

namespace kadvise {

extern template cudaError_t launchUpsample<UpsampleMode::Nearest>(const UpsampleArgs&, cudaStream_t);
extern template cudaError_t launchUpsample<UpsampleMode::Bilinear>(const UpsampleArgs&, cudaStream_t);
extern template cudaError_t launchUpsample<UpsampleMode::Bicubic>(const UpsampleArgs&, cudaStream_t);

namespace {

cudaError_t launched(const UpsampleArgs& a, cudaStream_t stream) {
  switch (a.mode) {
    case UpsampleMode::Nearest:
      return launchUpsample<UpsampleMode::Nearest>(a, stream);
    case UpsampleMode::Bilinear:
      return launchUpsample<UpsampleMode::Bilinear>(a, stream);
    case UpsampleMode::Bicubic:
      return launchUpsample<UpsampleMode::Bicubic>(a, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_upsample(const kadvise::UpsampleArgs* args,
                                                                 void* stream) {
  const auto error = kadvise::launched(*args, static_cast<cudaStream_t>(stream));
  return kadvise::sentenceOf(error, "kadvise::upsample_nearest, bilinear or bicubic: starting its kernel");
}

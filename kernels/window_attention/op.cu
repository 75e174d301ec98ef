// window_attention on a GPU.
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/window_attention/kernel.cuh"

namespace kadvise {
namespace {

template <class T>
cudaError_t launch(const WindowAttentionArgs& a, cudaStream_t stream) {
  const std::int64_t blocks = windowBlocks(a);
  if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
  return withWindowSizes(a, [&]<int kKeys, int kWidth>() {
    return launchKernel(windowAttention<T, kKeys, kWidth>, blocks, kWindowWarps * 32,
                        windowSharedBytes<T, kKeys, kWidth>(), stream, a);
  });
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_window_attention(
    const kadvise::WindowAttentionArgs* args, void* stream) {
  auto* const in = static_cast<cudaStream_t>(stream);
  const auto error = args->dtype == kadvise::Dtype::Half ? kadvise::launch<__half>(*args, in)
                                                         : kadvise::launch<__nv_bfloat16>(*args, in);
  return kadvise::sentenceOf(error, "kadvise::window_attention: starting its kernel");
}

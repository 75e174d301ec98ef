// max_pool and avg_pool on a GPU: the entry point.
#include "kernels/kernels.h"
#include "kernels/pool/kernel.cuh"

namespace kadvise {

extern template cudaError_t launchPool<PoolKind::Max>(const PoolArgs&, cudaStream_t);
extern template cudaError_t launchPool<PoolKind::Average>(const PoolArgs&, cudaStream_t);

}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_pool(const kadvise::PoolArgs* args, void* stream) {
  const auto of = static_cast<cudaStream_t>(stream);
  const auto error = args->kind == kadvise::PoolKind::Max
                         ? kadvise::launchPool<kadvise::PoolKind::Max>(*args, of)
                         : kadvise::launchPool<kadvise::PoolKind::Average>(*args, of);
  return kadvise::sentenceOf(error, "kadvise::max_pool or avg_pool: starting its kernel");
}

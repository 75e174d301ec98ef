// scatter_slices on a GPU.
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/scatter_slices/kernel.cuh"

namespace kadvise {
namespace {

template <class Word>
auto kernelOf(const ScatterPlan& p) {
  if (!liesDense(p)) return scatterSlices<Word, kMostScatterParts, false>;
  if (p.a.parts <= 1) return scatterSlices<Word, 1, true>;
  return p.a.parts <= 4 ? scatterSlices<Word, 4, true> : scatterSlices<Word, kMostScatterParts, true>;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_scatter_slices(const kadvise::ScatterArgs* args,
                                                                       void* stream) {
  const int bytes = kadvise::scatterWordBytes(*args);
  const auto plan = kadvise::scatterPlan(*args, bytes);
  const auto error = kadvise::withWord(bytes, [&]<class Word>() {
    const std::int64_t blocks = kadvise::scatterBlocks(plan);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return kadvise::launchKernel(kadvise::kernelOf<Word>(plan), blocks, kadvise::kScatterBlock, 0,
                                 static_cast<cudaStream_t>(stream), plan);
  });
  return kadvise::sentenceOf(error, "kadvise::scatter_slices: starting its kernel");
}

// roll on a GPU.
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"
#include "kernels/roll/kernel.cuh"

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_roll(const kadvise::RollArgs* args, void* stream) {
  const int bytes = kadvise::rollWordBytes(*args);
  const auto plan = kadvise::rollPlan(*args, bytes);
  const auto error = kadvise::withWord(bytes, [&]<class Word>() {
    const std::int64_t blocks = kadvise::rollBlocks(plan);
    if (blocks > INT32_MAX) return cudaErrorInvalidConfiguration;
    return kadvise::launchKernel(kadvise::roll<Word>, blocks, kadvise::kRollBlock, 0,
                                 static_cast<cudaStream_t>(stream), plan);
  });
  return kadvise::sentenceOf(error, "kadvise::roll: starting its kernel");
}

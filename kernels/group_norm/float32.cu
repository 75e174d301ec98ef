#include "kernels/group_norm/launch_forms.cuh"

template cudaError_t kadvise::launchGroupNorm<float>(const kadvise::GroupNormArgs&, cudaStream_t);

// One kernel is asked for all: they have as many threads, and no more shared memory.
bool kadvise::groupNormRunsTogether(std::int64_t blocks) {
  if (blocks == 1) return true;
  if (blocks > kGroupNormWideCluster || !hasClusters()) return false;
  constexpr std::int64_t kShared = 128 << 10;  // more than any of them has
  return blocks <= kPortableCluster ||
         runsWideClusters(reinterpret_cast<const void*>(groupNormHeldPixels<float, 4>), kGroupNormWideCluster,
                          kGroupNormBlock, kShared);
}

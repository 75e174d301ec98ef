// add + LayerNorm on a GPU: which kernel serves a call, and its launch.
#include "kernels/add_layer_norm/access.h"
#include "kernels/add_layer_norm/registers.cuh"
#include "kernels/add_layer_norm/shared.cuh"
#include "kernels/add_layer_norm/split.cuh"
#include "kernels/common/launch.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

using Schedule = AddLayerNormSchedule;

// What a launch needs to know, found once.
struct Plan {
  Access access;
  std::int64_t vectors;  // that cover a row, wherever it begins
  std::int64_t vectorBytes;
  DeviceLimits limits;
  Schedule schedule;
};

cudaError_t makePlan(const AddLayerNormArgs& a, Plan& plan) {
  if (const auto error = readLimits(plan.limits)) return error;
  plan.access = accessOf(a);
  plan.vectorBytes = plan.access == Access::Elements ? bytesOf(a.dtype) : 16;
  const std::int64_t lanes = plan.vectorBytes / bytesOf(a.dtype);
  const std::int64_t shift = plan.access == Access::Edges ? lanes - 1 : 0;
  plan.vectors = ceilDiv(a.length + shift, lanes);
  plan.schedule = a.schedule != nullptr ? *a.schedule
                                        : chooseAddLayerNorm({a.grid.count, plan.vectors, plan.vectorBytes,
                                                              plan.limits.sms, plan.limits.sharedBytes});
  return cudaSuccess;
}

std::int64_t scratchOf(const AddLayerNormArgs& a, const Plan& plan) {
  return plan.schedule.kind == AddLayerNormKind::Split ? 3 * a.grid.count * plan.schedule.splits : 0;
}

// Blocks for `groups` groups of rows: one each, or as many as the schedule keeps resident. Blocks loop over
// the rest.
std::int64_t blocksFor(std::int64_t groups, const Plan& plan) {
  constexpr std::int64_t kMostBlocks = INT32_MAX;
  const std::int64_t resident = static_cast<std::int64_t>(plan.schedule.blocksPerSm) * plan.limits.sms;
  return std::min(groups, resident > 0 ? resident : kMostBlocks);
}

// ---- the kernels there are

template <class T, bool kEdges>
auto registersKernel(int rowThreads, int vectors) -> void (*)(AddLayerNormArgs) {
  struct Entry {
    int rowThreads, vectors;
    void (*kernel)(AddLayerNormArgs);
  };
  static constexpr Entry entries[] = {
      {8, 1, addLayerNormRegisters<T, 8, 1, kEdges>},   {16, 1, addLayerNormRegisters<T, 16, 1, kEdges>},
      {32, 1, addLayerNormRegisters<T, 32, 1, kEdges>}, {32, 2, addLayerNormRegisters<T, 32, 2, kEdges>},
      {32, 3, addLayerNormRegisters<T, 32, 3, kEdges>}, {32, 4, addLayerNormRegisters<T, 32, 4, kEdges>},
      {0, 1, addLayerNormRegisters<T, 0, 1, kEdges>},   {0, 2, addLayerNormRegisters<T, 0, 2, kEdges>},
      {0, 4, addLayerNormRegisters<T, 0, 4, kEdges>},
  };
  for (const Entry& entry : entries) {
    if (entry.rowThreads == rowThreads && entry.vectors == vectors) return entry.kernel;
  }
  return nullptr;
}

template <class T>
cudaError_t launchRegisters(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  const Schedule& s = plan.schedule;
  const int threadsOfRow = s.rowThreads > 0 ? s.rowThreads : s.block;
  const auto kernel = plan.access == Access::Aligned ? registersKernel<T, false>(s.rowThreads, s.vectors)
                                                     : registersKernel<T, true>(s.rowThreads, s.vectors);
  const bool fits = static_cast<std::int64_t>(threadsOfRow) * s.vectors >= plan.vectors &&
                    s.block % 32 == 0 && s.block > 0 && s.block <= mostThreads(s.rowThreads, s.vectors);
  if (kernel == nullptr || !fits || plan.access == Access::Elements) return cudaErrorInvalidConfiguration;
  const std::int64_t groups = ceilDiv(a.grid.count, s.block / threadsOfRow);
  return launchKernel(kernel, blocksFor(groups, plan), s.block, 0, stream, a);
}

template <class T, int V, bool kEdges>
cudaError_t launchShared(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  const std::int64_t bytes = plan.vectors * plan.vectorBytes;
  const int block = plan.schedule.block;
  if (block <= 0 || block % 32 != 0 || block > kLongestBlock) return cudaErrorInvalidConfiguration;
  return launchKernel(addLayerNormShared<T, V, kEdges>, blocksFor(a.grid.count, plan), block, bytes, stream,
                      a);
}

template <class T, int V, bool kEdges>
cudaError_t launchSplit(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  const int splits = plan.schedule.splits, block = plan.schedule.block;
  const std::int64_t blocks = a.grid.count * splits;
  if (splits <= 0 || blocks > INT32_MAX || a.scratch == nullptr || block != kLongestBlock) {
    return cudaErrorInvalidConfiguration;
  }
  for (const auto kernel : {addLayerNormSplitMean<T, V, kEdges>, addLayerNormSplitSpread<T, V, kEdges>,
                            addLayerNormSplitFinish<T, V, kEdges>}) {
    if (const auto error = launchKernel(kernel, blocks, block, 0, stream, a, splits)) return error;
  }
  return cudaSuccess;
}

template <class T, int V, bool kEdges>
cudaError_t launchLong(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  return plan.schedule.kind == AddLayerNormKind::Shared ? launchShared<T, V, kEdges>(a, plan, stream)
                                                        : launchSplit<T, V, kEdges>(a, plan, stream);
}

template <class T>
cudaError_t launch(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  if (plan.schedule.kind == AddLayerNormKind::Registers) return launchRegisters<T>(a, plan, stream);
  switch (plan.access) {
    case Access::Aligned:
      return launchLong<T, kLanes<T>, false>(a, plan, stream);
    case Access::Edges:
      return launchLong<T, kLanes<T>, true>(a, plan, stream);
    case Access::Elements:
      return launchLong<T, 1, false>(a, plan, stream);
  }
  return cudaErrorInvalidValue;
}

cudaError_t launchAs(const AddLayerNormArgs& a, const Plan& plan, cudaStream_t stream) {
  switch (a.dtype) {
    case Dtype::Float:
      return launch<float>(a, plan, stream);
    case Dtype::Half:
      return launch<__half>(a, plan, stream);
    case Dtype::BFloat16:
      return launch<__nv_bfloat16>(a, plan, stream);
  }
  return cudaErrorInvalidValue;
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_add_layer_norm_scratch(
    const kadvise::AddLayerNormArgs* args) {
  kadvise::Plan plan;
  // An error here comes again, and is reported, at the launch.
  return kadvise::makePlan(*args, plan) == cudaSuccess ? kadvise::scratchOf(*args, plan) : 0;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_add_layer_norm(const kadvise::AddLayerNormArgs* args,
                                                                       void* stream) {
  kadvise::Plan plan;
  auto error = kadvise::makePlan(*args, plan);
  if (error == cudaSuccess) error = kadvise::launchAs(*args, plan, static_cast<cudaStream_t>(stream));
  return kadvise::sentenceOf(error, "kadvise::add_layer_norm: starting its kernel");
}

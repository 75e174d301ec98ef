// add + LayerNorm on a GPU: the kernels there are, and the entry points.
#include "kernels/add_layer_norm/access.h"
#include "kernels/add_layer_norm/registers.cuh"
#include "kernels/add_layer_norm/shared.cuh"
#include "kernels/add_layer_norm/split.cuh"
#include "kernels/common/dtypes.cuh"
#include "kernels/common/row_launch.cuh"
#include "kernels/kernels.h"

namespace kadvise {
namespace {

using Kernels = RowKernels<AddLayerNormArgs>;

template <class T, bool kEdges>
constexpr Kernels::Registers kRegisters[] = {
    {8, 1, addLayerNormRegisters<T, 8, 1, kEdges>},   {16, 1, addLayerNormRegisters<T, 16, 1, kEdges>},
    {32, 1, addLayerNormRegisters<T, 32, 1, kEdges>}, {32, 2, addLayerNormRegisters<T, 32, 2, kEdges>},
    {32, 3, addLayerNormRegisters<T, 32, 3, kEdges>}, {32, 4, addLayerNormRegisters<T, 32, 4, kEdges>},
    {0, 1, addLayerNormRegisters<T, 0, 1, kEdges>},   {0, 2, addLayerNormRegisters<T, 0, 2, kEdges>},
    {0, 4, addLayerNormRegisters<T, 0, 4, kEdges>},
};

template <class T, int V, bool kEdges>
constexpr void (*kSplit[])(AddLayerNormArgs, int) = {addLayerNormSplitMean<T, V, kEdges>,
                                                     addLayerNormSplitSpread<T, V, kEdges>,
                                                     addLayerNormSplitFinish<T, V, kEdges>};

template <class T>
Kernels kernelsFor(Access access) {
  constexpr int V = kLanes<T>;
  switch (access) {
    case Access::Aligned:
      return {kRegisters<T, false>, addLayerNormShared<T, V, false>, kSplit<T, V, false>};
    case Access::Edges:
      return {kRegisters<T, true>, addLayerNormShared<T, V, true>, kSplit<T, V, true>};
    case Access::Elements:
      break;
  }
  return {{}, addLayerNormShared<T, 1, false>, kSplit<T, 1, false>};
}

cudaError_t launch(const AddLayerNormArgs& a, cudaStream_t stream) {
  RowPlan plan;
  if (const auto error = makeRowPlan(a, accessOf(a), plan)) return error;
  return withElementType(a.dtype, [&](auto type) {
    return launchRows(a, plan, kernelsFor<typename decltype(type)::type>(plan.access), stream);
  });
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_add_layer_norm_scratch(
    const kadvise::AddLayerNormArgs* args) {
  kadvise::RowPlan plan;
  // An error here comes again, and is reported, at the launch.
  if (kadvise::makeRowPlan(*args, kadvise::accessOf(*args), plan) != cudaSuccess) return 0;
  return plan.schedule.kind == kadvise::RowKind::Split ? 3 * plan.rows * plan.schedule.splits : 0;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_add_layer_norm(const kadvise::AddLayerNormArgs* args,
                                                                       void* stream) {
  return kadvise::sentenceOf(kadvise::launch(*args, static_cast<cudaStream_t>(stream)),
                             "kadvise::add_layer_norm: starting its kernel");
}

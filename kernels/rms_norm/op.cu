// RMSNorm and add + RMSNorm on a GPU: the kernels there are, and the entry points.
#include "kernels/common/dtypes.cuh"
#include "kernels/common/row_launch.cuh"
#include "kernels/kernels.h"
#include "kernels/rms_norm/access.h"
#include "kernels/rms_norm/registers.cuh"
#include "kernels/rms_norm/shared.cuh"
#include "kernels/rms_norm/split.cuh"

namespace kadvise {
namespace {

using Kernels = RowKernels<RmsNormArgs>;

template <class T, bool kAdd, bool kEdges>
constexpr Kernels::Registers kRegisters[] = {
    {8, 1, rmsNormRegisters<T, kAdd, 8, 1, kEdges>},   {16, 1, rmsNormRegisters<T, kAdd, 16, 1, kEdges>},
    {32, 1, rmsNormRegisters<T, kAdd, 32, 1, kEdges>}, {32, 2, rmsNormRegisters<T, kAdd, 32, 2, kEdges>},
    {32, 3, rmsNormRegisters<T, kAdd, 32, 3, kEdges>}, {32, 4, rmsNormRegisters<T, kAdd, 32, 4, kEdges>},
    {0, 4, rmsNormRegisters<T, kAdd, 0, 4, kEdges>},
};

template <class T, int V, bool kAdd, bool kEdges>
constexpr void (*kSplit[])(RmsNormArgs, int) = {rmsNormSplitSquares<T, V, kAdd, kEdges>,
                                                rmsNormSplitFinish<T, V, kAdd, kEdges>};

template <class T, bool kAdd>
Kernels kernelsFor(Access access) {
  constexpr int V = kLanes<T>;
  switch (access) {
    case Access::Aligned:
      return {kRegisters<T, kAdd, false>, rmsNormShared<T, V, kAdd, false>, kSplit<T, V, kAdd, false>};
    case Access::Edges:
      return {kRegisters<T, kAdd, true>, rmsNormShared<T, V, kAdd, true>, kSplit<T, V, kAdd, true>};
    case Access::Elements:
      break;
  }
  return {{}, rmsNormShared<T, 1, kAdd, false>, kSplit<T, 1, kAdd, false>};
}

cudaError_t launch(const RmsNormArgs& a, cudaStream_t stream) {
  RowPlan plan;
  if (const auto error = makeRowPlan(a, accessOf(a), plan)) return error;
  return withElementType(a.dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    const Kernels kernels =
        a.residual != nullptr ? kernelsFor<T, true>(plan.access) : kernelsFor<T, false>(plan.access);
    return launchRows(a, plan, kernels, stream);
  });
}

}  // namespace
}  // namespace kadvise

extern "C" KADVISE_KERNELS_API std::int64_t kadvise_cuda_rms_norm_scratch(const kadvise::RmsNormArgs* args) {
  kadvise::RowPlan plan;
  // An error here comes again, and is reported, at the launch.
  if (kadvise::makeRowPlan(*args, kadvise::accessOf(*args), plan) != cudaSuccess) return 0;
  return plan.schedule.kind == kadvise::RowKind::Split ? plan.rows * plan.schedule.splits : 0;
}

extern "C" KADVISE_KERNELS_API const char* kadvise_cuda_rms_norm(const kadvise::RmsNormArgs* args,
                                                                 void* stream) {
  return kadvise::sentenceOf(kadvise::launch(*args, static_cast<cudaStream_t>(stream)),
                             "kadvise::rms_norm: starting its kernel");
}

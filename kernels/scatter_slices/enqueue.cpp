#include "kernels/scatter_slices/enqueue.h"

#include "kernels/common/cuda_library.h"

#include <ATen/ops/scalar_tensor.h>

#include <algorithm>
#include <cstring>

namespace kadvise {

void enqueueScatter(ScatterArgs& args, const at::Scalar& rest, Tensor& result) {
  args.dims = static_cast<std::int32_t>(result.dim());
  args.elementBytes = static_cast<std::int32_t>(result.element_size());
  std::reverse_copy(result.sizes().begin(), result.sizes().end(), args.size);
  const Tensor one = at::scalar_tensor(rest, at::TensorOptions().dtype(result.scalar_type()));
  std::memcpy(args.rest, one.const_data_ptr(), one.element_size());
  args.result = result.mutable_data_ptr();
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaScatterSlices*>(cudaSymbol("kadvise_cuda_scatter_slices"));
  const char* problem = enqueue(&args, currentStream(result.device()));
  TORCH_CHECK(problem == nullptr, problem);
}

}  // namespace kadvise

// kadvise::constant_pad_nd: torch's, in one kernel. torch fills all of the result and then copies the tensor
// into the middle of it. The result lies as torch's does: with channels last where the tensor does.
//
// Whatever the kernel does not serve is torch's operator: pads that cut off, more than six dimensions,
// gradients, the CPU, other devices; so are all errors.
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/scatter_slices/enqueue.h"

#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <numeric>
#include <vector>

namespace kadvise {
namespace {

using at::IntArrayRef;

Tensor composition(const Tensor& x, IntArrayRef pad, const at::Scalar& value) {
  return at::constant_pad_nd(x, pad, value);
}

// Where nothing is padded, torch's is a clone with the strides of the tensor.
bool isServed(const Tensor& x, IntArrayRef pad) {
  const auto dims = static_cast<std::size_t>(x.dim());
  if (x.numel() == 0 || dims == 0 || dims > kMostScatterDims || pad.size() % 2 != 0 || pad.size() / 2 > dims)
    return false;
  if (std::any_of(pad.begin(), pad.end(), [](auto by) { return by < 0 || by > INT32_MAX / 4; })) return false;
  if (std::all_of(pad.begin(), pad.end(), [](auto by) { return by == 0; })) return false;
  const auto sizes = x.sizes();
  return std::all_of(sizes.begin(), sizes.end(), [](auto size) { return size <= INT32_MAX / 4; }) &&
         !x.is_conj() && !x.is_neg() && !x.is_quantized() && x.layout() == at::kStrided;
}

// The dimensions in the order in which the result lies in memory.
std::vector<std::int64_t> orderOf(const Tensor& x, at::MemoryFormat format) {
  std::vector<std::int64_t> order(static_cast<std::size_t>(x.dim()));
  std::iota(order.begin(), order.end(), 0);
  if (format != at::MemoryFormat::Contiguous) std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  return order;
}

Tensor launch(const Tensor& x, IntArrayRef pad, const at::Scalar& value) {
  const auto format = x.suggest_memory_format();
  const auto order = orderOf(x, format);
  ScatterArgs args{};
  args.parts = 1;
  ScatterPart& part = args.part[0];
  part.data = x.const_data_ptr();
  std::vector<std::int64_t> sizes(x.sizes().begin(), x.sizes().end());
  for (std::size_t at = order.size(); at-- > 0;) {
    const auto dim = order[at];
    const auto own = order.size() - 1 - at, pair = 2 * static_cast<std::size_t>(x.dim() - 1 - dim);
    const bool isPadded = pair < pad.size();
    part.begin[own] = isPadded ? pad[pair] : 0;
    part.step[own] = 1;
    part.count[own] = x.size(dim);
    part.stride[own] = x.size(dim) == 1 ? 1 : x.stride(dim);
    if (isPadded) sizes[static_cast<std::size_t>(dim)] += pad[pair] + pad[pair + 1];
  }
  Tensor result = at::empty(sizes, x.options().memory_format(format));
  Tensor asItLies = result.permute(order);
  enqueueScatter(args, value, asItLies);
  return result;
}

struct ConstantPadNd {
  static constexpr const char* kName = "constant_pad_nd";
  static constexpr const char* kQualifiedName = "kadvise::constant_pad_nd";
  static constexpr const char* kSchema = "constant_pad_nd(Tensor x, int[] pad, Scalar value=0) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCpu = kadvise::composition;
  static constexpr auto& onMeta = kadvise::composition;

  static Tensor onCuda(const Tensor& x, IntArrayRef pad, const at::Scalar& value) {
    if (!isServed(x, pad)) return composition(x, pad, value);
    const c10::DeviceGuard guard(x.device());
    return launch(x, pad, value);
  }
};

}  // namespace

extern const Operator kConstantPadNd;
const Operator kConstantPadNd = Dispatch<ConstantPadNd>::entry();

}  // namespace kadvise

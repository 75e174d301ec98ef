// kadvise::roll: torch.roll of any dtype over several dimensions in one pass over memory, as windows of
// images are shifted (Liu et al., "Swin Transformer", 2021, section 3.2). The result is contiguous, as
// torch's is.
//
// Whatever the kernel does not serve is torch's operator: rolls of the flattened tensor, more than six
// dimensions that cannot be joined, a dimension that is named twice, gradients, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/roll/launch.h"

#include <ATen/WrapDimUtils.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/roll.h>
#include <c10/core/DeviceGuard.h>

#include <vector>

namespace kadvise {
namespace {

using at::IntArrayRef;

Tensor composition(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
  return at::roll(x, shifts, dims);
}

// By dimension, from 0 to its size - 1; nothing where the kernel cannot serve them.
std::optional<std::vector<std::int64_t>> shiftsOf(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
  if (dims.empty() || shifts.size() != dims.size()) return std::nullopt;
  std::vector<std::int64_t> by(static_cast<std::size_t>(x.dim()), 0);
  std::vector<bool> isNamed(by.size(), false);
  for (std::size_t i = 0; i < dims.size(); ++i) {
    const auto d = static_cast<std::size_t>(at::maybe_wrap_dim(dims[i], x.dim()));
    if (isNamed[d]) return std::nullopt;
    isNamed[d] = true;
    const std::int64_t size = x.size(static_cast<std::int64_t>(d));
    by[d] = (shifts[i] % size + size) % size;
  }
  return by;
}

// Dimensions of the last to the first, joined where neither is rolled.
bool describe(const Tensor& x, const std::vector<std::int64_t>& shifts, RollArgs& args) {
  args.pieceBytes = static_cast<std::int64_t>(x.element_size());
  args.dims = 0;
  bool wasRolled = true;
  for (std::int64_t d = x.dim() - 1; d >= 0; --d) {
    const std::int64_t shift = shifts[static_cast<std::size_t>(d)], size = x.size(d);
    if (shift == 0 && args.dims == 0) {
      args.pieceBytes *= size;
    } else if (shift == 0 && !wasRolled) {
      args.size[args.dims - 1] *= size;
    } else {
      if (args.dims == kMostRollDims) return false;
      args.size[args.dims] = size;
      args.shift[args.dims++] = shift;
      wasRolled = shift != 0;
    }
  }
  if (args.dims == 0) args.size[args.dims] = 1, args.shift[args.dims++] = 0;
  return true;
}

// The result of a kernel, or nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
  if (x.numel() == 0 || x.dim() == 0 || x.is_conj() || x.is_neg()) return std::nullopt;
  const auto by = shiftsOf(x, shifts, dims);
  RollArgs args{};
  if (!by || !describe(x, *by, args)) return std::nullopt;
  const Tensor from = x.contiguous();
  Tensor result = at::empty(x.sizes(), x.options());
  args.x = from.const_data_ptr();
  args.result = result.mutable_data_ptr();
  static auto* const enqueue = reinterpret_cast<KadviseCudaRoll*>(cudaSymbol("kadvise_cuda_roll"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct RollOp {
  static constexpr const char* kName = "roll";
  static constexpr const char* kQualifiedName = "kadvise::roll";
  static constexpr const char* kSchema = "roll(Tensor x, int[1] shifts, int[1] dims=[]) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::ChangesNothing;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
    return composition(x, shifts, dims);
  }
  static Tensor onCuda(const Tensor& x, IntArrayRef shifts, IntArrayRef dims) {
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, shifts, dims);
    return result ? *result : composition(x, shifts, dims);
  }
  static Tensor onMeta(const Tensor& x, IntArrayRef, IntArrayRef) {
    return at::empty_symint(x.sym_sizes(), x.options());
  }
};

}  // namespace

extern const Operator kRoll;
const Operator kRoll = Dispatch<RollOp>::entry();

}  // namespace kadvise

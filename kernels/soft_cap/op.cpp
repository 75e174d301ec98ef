// kadvise::soft_cap: cap * tanh(x / cap) in one pass over memory, as Gemma 2 bounds its scores and logits
// (Gemma Team, "Gemma 2: Improving Open Language Models at a Practical Size", 2024, section 2).
//
// Whatever the kernel does not serve is the composition, which it equals in shapes, dtypes, strides and
// errors: other dtypes, gradients, autocast, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"
#include "kernels/soft_cap/launch.h"

#include <ATen/ops/div.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/tanh.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, double cap) { return at::mul(at::tanh(at::div(x, cap)), cap); }

// The result of a kernel, or nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, double cap) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype) return std::nullopt;
  Tensor result = emptyResult(x);
  if (result.numel() == 0) return result;
  const auto rows = longestRows({&result, &x});
  if (!rows) return std::nullopt;

  const SoftCapArgs args{x.const_data_ptr(),
                         result.mutable_data_ptr(),
                         rows->grid,
                         rows->stride[1],
                         rows->stride[0],
                         rows->length,
                         *dtype,
                         static_cast<float>(cap)};
  static auto* const enqueue = reinterpret_cast<KadviseCudaSoftCap*>(cudaSymbol("kadvise_cuda_soft_cap"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct SoftCapOp {
  static constexpr const char* kName = "soft_cap";
  static constexpr const char* kQualifiedName = "kadvise::soft_cap";
  static constexpr const char* kSchema = "soft_cap(Tensor x, float cap) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, double cap) { return composition(x, cap); }
  static Tensor onCuda(const Tensor& x, double cap) {
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, cap);
    return result ? *result : composition(x, cap);
  }
  static Tensor onMeta(const Tensor& x, double cap) {
    if (!hasSymbols(x) || !x.is_contiguous()) return composition(withoutSymbols(x), cap);
    return at::empty_symint(x.sym_sizes(), x.options());
  }
};

}  // namespace

extern const Operator kSoftCap;
const Operator kSoftCap = Dispatch<SoftCapOp>::entry();

}  // namespace kadvise

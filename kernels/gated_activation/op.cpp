// kadvise::activation and kadvise::gated_activation: act(x), and act(gate) * up in one pass over memory.
//
// act is computed in float and rounded to the dtype before the product, as two operators in a row would do.
// gate and up may be halves of one tensor. Whatever the kernels do not serve is the composition, which the
// kernels equal in shapes, dtypes, strides and errors: other dtypes, sizes that differ, gradients, autocast,
// the CPU, other devices.
#include "kernels/common/activations.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"
#include "kernels/gated_activation/launch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/mul.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, c10::string_view activation) {
  return applied(activationNamed(activation), x);
}

Tensor gatedComposition(const Tensor& gate, const Tensor& up, c10::string_view activation) {
  return at::mul(composition(gate, activation), up);
}

// The result of a kernel, or nothing when only the composition can serve it. `up` may be undefined.
std::optional<Tensor> launch(const Tensor& gate, const Tensor& up, Activation activation) {
  const auto dtype = kernelDtype(gate.scalar_type());
  const bool gated = up.defined();
  if (!dtype || (gated && (!isLike(up, gate) || up.sizes() != gate.sizes()))) return std::nullopt;
  Tensor result = gated ? emptyResult(gate, up) : emptyResult(gate);
  if (result.numel() == 0) return result;
  const auto rows = gated ? longestRows({&result, &gate, &up}) : longestRows({&result, &gate});
  if (!rows) return std::nullopt;

  const GatedActivationArgs args{gate.const_data_ptr(),
                                 dataOrNull(up),
                                 result.mutable_data_ptr(),
                                 rows->grid,
                                 rows->stride[1],
                                 rows->stride[2],
                                 rows->stride[0],
                                 rows->length,
                                 *dtype,
                                 activation};
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaGatedActivation*>(cudaSymbol("kadvise_cuda_gated_activation"));
  const char* problem = enqueue(&args, currentStream(gate.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct ActivationOp {
  static constexpr const char* kName = "activation";
  static constexpr const char* kQualifiedName = "kadvise::activation";
  static constexpr const char* kSchema = "activation(Tensor x, str activation) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, c10::string_view activation) { return composition(x, activation); }
  static Tensor onCuda(const Tensor& x, c10::string_view activation) {
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, {}, activationNamed(activation));
    return result ? *result : composition(x, activation);
  }
  static Tensor onMeta(const Tensor& x, c10::string_view activation) {
    if (!hasSymbols(x) || !x.is_contiguous()) return composition(withoutSymbols(x), activation);
    activationNamed(activation);
    return at::empty_symint(x.sym_sizes(), x.options());
  }
};

struct GatedActivationOp {
  static constexpr const char* kName = "gated_activation";
  static constexpr const char* kQualifiedName = "kadvise::gated_activation";
  static constexpr const char* kSchema = "gated_activation(Tensor gate, Tensor up, str activation) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = gatedComposition;

  static Tensor onCpu(const Tensor& gate, const Tensor& up, c10::string_view activation) {
    return composition(gate, up, activation);
  }
  static Tensor onCuda(const Tensor& gate, const Tensor& up, c10::string_view activation) {
    if (!gate.is_cuda()) return composition(gate, up, activation);
    const c10::DeviceGuard guard(gate.device());
    const auto result = launch(gate, up, activationNamed(activation));
    return result ? *result : composition(gate, up, activation);
  }
  // Halves of one tensor give a contiguous result: symbolic sizes stay symbolic there too.
  static Tensor onMeta(const Tensor& gate, const Tensor& up, c10::string_view activation) {
    const bool alike = gate.sym_sizes() == up.sym_sizes() && gate.scalar_type() == up.scalar_type();
    if ((!hasSymbols(gate) && !hasSymbols(up)) || !alike || !rowsAscend(gate) || !rowsAscend(up)) {
      return composition(withoutSymbols(gate), withoutSymbols(up), activation);
    }
    activationNamed(activation);
    return at::empty_symint(gate.sym_sizes(), gate.options());
  }

 private:
  // Contiguous but for gaps between its rows.
  static bool rowsAscend(const Tensor& tensor) {
    if (tensor.is_contiguous()) return true;
    const auto sizes = tensor.sym_sizes(), strides = tensor.sym_strides();
    const auto last = tensor.dim() - 1;
    if (strides[last] != 1 || strides[last - 1] < sizes[last]) return false;
    for (auto d = last - 2; d >= 0; --d) {
      if (strides[d] != strides[d + 1] * sizes[d + 1]) return false;
    }
    return true;
  }
};

}  // namespace

extern const Operator kActivation;
const Operator kActivation = Dispatch<ActivationOp>::entry();
extern const Operator kGatedActivation;
const Operator kGatedActivation = Dispatch<GatedActivationOp>::entry();

}  // namespace kadvise

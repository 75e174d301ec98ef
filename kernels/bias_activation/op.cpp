// kadvise::bias_activation and kadvise::bias_add: act(x + bias), and x + bias + z, in one pass over memory,
// for a matrix product that is faster without its bias than with it. The bias is one row.
//
// Sums are computed in float and rounded to the dtype once, behind the activation. Whatever the kernels do
// not serve is the composition, which the kernels equal in shapes, dtypes, strides and errors: other dtypes,
// sizes that broadcast, gradients, autocast, the CPU, other devices.
#include "kernels/bias_activation/launch.h"
#include "kernels/common/activations.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, const Tensor& bias, c10::string_view activation) {
  return applied(activationNamed(activation), at::add(x, bias));
}

Tensor addComposition(const Tensor& x, const Tensor& bias, const Tensor& z) {
  return at::add(at::add(x, bias), z);
}

bool isRowOf(const Tensor& x, const Tensor& bias) {
  return x.dim() > 0 && bias.dim() == 1 && bias.sym_size(0) == x.sym_size(-1) && isLike(bias, x);
}

std::optional<Rows> rowsOfAll(const Tensor& result, const Tensor& x, const Tensor& z) {
  if (!z.defined()) return rowsOf({&result, &x}, 1);
  return rowsOf({&result, &x, &z}, 1);
}

// The result of a kernel, or nothing when only the composition can serve it. `z` may be undefined.
std::optional<Tensor> launch(const Tensor& x, const Tensor& bias, const Tensor& z, Activation activation) {
  const auto dtype = kernelDtype(x.scalar_type());
  const bool adds = z.defined();
  if (!dtype || !isRowOf(x, bias) || (adds && (!isLike(z, x) || z.sizes() != x.sizes()))) return std::nullopt;
  Tensor result = adds ? emptyResult(x, z) : emptyResult(x);
  if (result.numel() == 0) return result;
  const auto rows = rowsOfAll(result, x, z);
  if (!rows) return std::nullopt;

  const Tensor row = bias.contiguous();
  const BiasActivationArgs args{x.const_data_ptr(), row.const_data_ptr(),
                                dataOrNull(z),      result.mutable_data_ptr(),
                                rows->grid,         rows->stride[1],
                                rows->stride[2],    rows->stride[0],
                                rows->length,       *dtype,
                                activation};
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaBiasActivation*>(cudaSymbol("kadvise_cuda_bias_activation"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct BiasActivation {
  static constexpr const char* kName = "bias_activation";
  static constexpr const char* kQualifiedName = "kadvise::bias_activation";
  static constexpr const char* kSchema = "bias_activation(Tensor x, Tensor bias, str activation) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& bias, c10::string_view activation) {
    return composition(x, bias, activation);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& bias, c10::string_view activation) {
    if (!x.is_cuda()) return composition(x, bias, activation);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, bias, {}, activationNamed(activation));
    return result ? *result : composition(x, bias, activation);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& bias, c10::string_view activation) {
    const bool symbols = hasSymbols(x) || hasSymbols(bias);
    if (!symbols || !x.is_contiguous() || !isRowOf(x, bias)) {
      return composition(withoutSymbols(x), withoutSymbols(bias), activation);
    }
    activationNamed(activation);
    return at::empty_symint(x.sym_sizes(), x.options());
  }
};

struct BiasAdd {
  static constexpr const char* kName = "bias_add";
  static constexpr const char* kQualifiedName = "kadvise::bias_add";
  static constexpr const char* kSchema = "bias_add(Tensor x, Tensor bias, Tensor z) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = addComposition;

  static Tensor onCpu(const Tensor& x, const Tensor& bias, const Tensor& z) {
    return composition(x, bias, z);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& bias, const Tensor& z) {
    if (!x.is_cuda()) return composition(x, bias, z);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, bias, z, Activation::Relu);
    return result ? *result : composition(x, bias, z);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& bias, const Tensor& z) {
    const bool symbols = hasSymbols(x) || hasSymbols(bias) || hasSymbols(z);
    const bool alike = isRowOf(x, bias) && x.sym_sizes() == z.sym_sizes() && isLike(z, x);
    if (!symbols || !alike || !x.is_contiguous() || !z.is_contiguous()) {
      return composition(withoutSymbols(x), withoutSymbols(bias), withoutSymbols(z));
    }
    return at::empty_symint(x.sym_sizes(), x.options());
  }
};

}  // namespace

extern const Operator kBiasActivation;
const Operator kBiasActivation = Dispatch<BiasActivation>::entry();
extern const Operator kBiasAdd;
const Operator kBiasAdd = Dispatch<BiasAdd>::entry();

}  // namespace kadvise

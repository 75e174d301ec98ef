// kadvise::linear_activation: act(x @ weight^T + bias), with the activation in the matrix product's epilogue
// where cuBLASLt has it: relu and gelu_tanh, behind a one-dimensional bias, on a GPU. Everywhere else it is
// linear and the activation. at::_addmm_activation is not called on the CPU, where its arithmetic is another.
//
// The result is contiguous. There is no kernel of ours.
#include "kernels/common/activations.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"

#include <ATen/ops/_addmm_activation.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                   c10::string_view activation) {
  return applied(activationNamed(activation), at::linear(x, weight, bias)).contiguous();
}

// Whether the epilogue serves it: a product of matrices that are not empty, of one dtype that it has.
bool hasEpilogue(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, Activation activation) {
  // In float32 its GELU is ten times less exact than ATen's (H200, CUDA 13.0).
  if (activation == Activation::GeluTanh && x.scalar_type() == at::kFloat) return false;
  const bool known = activation == Activation::Relu || activation == Activation::GeluTanh;
  return known && kernelDtype(x.scalar_type()) && isThere(bias) && isLike(weight, x) && isLike(*bias, x) &&
         x.dim() >= 2 && weight.dim() == 2 && bias->dim() == 1 && bias->size(0) == weight.size(0) &&
         x.size(-1) == weight.size(1) && x.numel() > 0 && weight.numel() > 0;
}

struct LinearActivation {
  static constexpr const char* kName = "linear_activation";
  static constexpr const char* kQualifiedName = "kadvise::linear_activation";
  static constexpr const char* kSchema =
      "linear_activation(Tensor x, Tensor weight, Tensor? bias, str activation) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                      c10::string_view activation) {
    return composition(x, weight, bias, activation);
  }

  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                       c10::string_view activation) {
    const Activation act = activationNamed(activation);
    if (!x.is_cuda() || !hasEpilogue(x, weight, bias, act)) return composition(x, weight, bias, activation);
    const Tensor rows = x.reshape({-1, x.size(-1)});
    const bool gelu = act == Activation::GeluTanh;
    const Tensor result = at::_addmm_activation(*bias, rows, weight.t(), /*beta=*/1, /*alpha=*/1, gelu);
    at::DimVector sizes(x.sizes().begin(), x.sizes().end());
    sizes.back() = weight.size(0);
    return result.view(sizes);
  }

  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                       c10::string_view activation) {
    const bool symbols = hasSymbols(x) || hasSymbols(weight) || (isThere(bias) && hasSymbols(*bias));
    if (!symbols || x.dim() < 2 || weight.dim() != 2) {
      return composition(withoutSymbols(x), withoutSymbols(weight), withoutSymbols(bias), activation);
    }
    activationNamed(activation);
    TORCH_CHECK(x.sym_size(-1) == weight.sym_size(1), "kadvise::linear_activation: x has ", x.sym_size(-1),
                " elements a row, and weight ", weight.sym_size(1));
    c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
    sizes.back() = weight.sym_size(0);
    return at::empty_symint(sizes, x.options());
  }
};

}  // namespace

extern const Operator kLinearActivation;
const Operator kLinearActivation = Dispatch<LinearActivation>::entry();

}  // namespace kadvise

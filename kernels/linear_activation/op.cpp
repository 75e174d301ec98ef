// kadvise::linear_activation: act(x @ weight^T + bias), with the activation in the matrix product's epilogue
// where cuBLASLt has it: relu and gelu_tanh, behind a one-dimensional bias, on a GPU. Everywhere else it is
// linear and the activation; in float32 the linear of kernels/linear.
//
// The result is contiguous. There is no kernel of ours.
#include "kernels/common/activations.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/linear_epilogue/product.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                   c10::string_view activation) {
  return applied(activationNamed(activation), at::linear(x, weight, bias)).contiguous();
}

// Nothing where cuBLASLt has no such epilogue.
std::optional<Epilogue> epilogueOf(Activation activation, at::ScalarType dtype) {
  if (activation == Activation::Relu) return Epilogue::Relu;
  // In float32 its GELU is ten times less exact than ATen's (H200, CUDA 13.0).
  if (activation == Activation::GeluTanh && dtype != at::kFloat) return Epilogue::GeluTanh;
  return std::nullopt;
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
    const auto epilogue = epilogueOf(activationNamed(activation), x.scalar_type());
    if (!isThere(bias)) return composition(x, weight, bias, activation);
    if (epilogue) {
      const auto result = linearWithEpilogue(x, weight, bias, {}, *epilogue);
      return result ? *result : composition(x, weight, bias, activation);
    }
    const auto product = linearInFloat(x, weight, bias);
    return product ? applied(activationNamed(activation), *product)
                   : composition(x, weight, bias, activation);
  }

  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                       c10::string_view activation) {
    const bool symbols = hasSymbols(x) || hasSymbols(weight) || (isThere(bias) && hasSymbols(*bias));
    if (!symbols || x.dim() < 2 || weight.dim() != 2) {
      return composition(withoutSymbols(x), withoutSymbols(weight), withoutSymbols(bias), activation);
    }
    activationNamed(activation);
    return at::empty_symint(productSizes(kQualifiedName, x, weight), x.options());
  }
};

}  // namespace

extern const Operator kLinearActivation;
const Operator kLinearActivation = Dispatch<LinearActivation>::entry();

}  // namespace kadvise

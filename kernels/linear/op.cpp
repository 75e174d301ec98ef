// kadvise::linear: x @ weight^T + bias, for float32 on a GPU. torch multiplies with a bias by another path of
// its libraries than without, and that one's algorithms can be half as fast (H200, torch 2.11: 256 x 3072 by
// 768, 82 us with a bias, 37 us without). Here cuBLASLt chooses, with as much workspace as torch gives it
// elsewhere, and the bias costs nothing.
//
// Elsewhere, and in other dtypes, where torch's choice is as good, it is torch's linear. The result is
// contiguous. There is no kernel of ours.
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/linear_epilogue/product.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
  return at::linear(x, weight, bias).contiguous();
}

struct Linear {
  static constexpr const char* kName = "linear";
  static constexpr const char* kQualifiedName = "kadvise::linear";
  static constexpr const char* kSchema = "linear(Tensor x, Tensor weight, Tensor? bias) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
    return composition(x, weight, bias);
  }

  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
    const auto result = linearInFloat(x, weight, bias);
    return result ? *result : composition(x, weight, bias);
  }

  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
    const bool symbols = hasSymbols(x) || hasSymbols(weight) || (isThere(bias) && hasSymbols(*bias));
    if (!symbols || x.dim() < 2 || weight.dim() != 2) {
      return composition(withoutSymbols(x), withoutSymbols(weight), withoutSymbols(bias));
    }
    return at::empty_symint(productSizes(kQualifiedName, x, weight), x.options());
  }
};

}  // namespace

extern const Operator kLinear;
const Operator kLinear = Dispatch<Linear>::entry();

}  // namespace kadvise

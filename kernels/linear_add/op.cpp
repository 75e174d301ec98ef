// kadvise::linear_add: x @ weight^T + bias + z, with the sum in the matrix product's epilogue on a GPU, where
// z has the sizes of the product; elsewhere it is linear and add, or add in place: see MaybeInto.
//
// The result is contiguous. There is no kernel of ours.
#include "kernels/common/dispatch.h"
#include "kernels/common/sum_into.h"
#include "kernels/common/tensors.h"
#include "kernels/linear_epilogue/product.h"

#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/linear.h>

namespace kadvise {
namespace {

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, const Tensor& z,
                   const MaybeInto& into) {
  const Tensor product = at::linear(x, weight, bias);
  checkSumInto("kadvise::linear_add", into, product, z);
  return at::add(product, z).contiguous();
}

struct LinearAdd {
  static constexpr const char* kName = "linear_add";
  static constexpr const char* kQualifiedName = "kadvise::linear_add";
  static constexpr const char* kSchema =
      "linear_add(Tensor x, Tensor weight, Tensor? bias, Tensor z, str? into=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, const Tensor& z,
                      const MaybeInto& into) {
    return composition(x, weight, bias, z, into);
  }

  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, const Tensor& z,
                       const MaybeInto& into) {
    if (const auto result = linearWithEpilogue(x, weight, bias, z, Epilogue::None)) return *result;
    return composition(x, weight, bias, z, into);
  }

  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, const Tensor& z,
                       const MaybeInto& into) {
    const bool symbols =
        hasSymbols(x) || hasSymbols(weight) || hasSymbols(z) || (isThere(bias) && hasSymbols(*bias));
    if (!symbols || x.dim() < 2 || weight.dim() != 2) {
      return composition(withoutSymbols(x), withoutSymbols(weight), withoutSymbols(bias), withoutSymbols(z),
                         into);
    }
    const auto sizes = productSizes(kQualifiedName, x, weight);
    TORCH_CHECK(z.sym_sizes() == c10::SymIntArrayRef(sizes), "kadvise::linear_add: z is of size ",
                z.sym_sizes(), ", and the product of ", c10::SymIntArrayRef(sizes));
    return at::empty_symint(sizes, x.options());
  }
};

}  // namespace

extern const Operator kLinearAdd;
const Operator kLinearAdd = Dispatch<LinearAdd>::entry();

}  // namespace kadvise

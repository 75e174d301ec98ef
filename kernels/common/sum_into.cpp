#include "kernels/common/sum_into.h"

#include <ATen/ExpandUtils.h>

namespace kadvise {

void checkSumInto(const char* name, const MaybeInto& into, const Tensor& product, const Tensor& z) {
  if (!into) return;
  TORCH_CHECK(*into == "product" || *into == "z", name, ": into is \"", *into,
              "\", and can be \"product\" or \"z\"");
  const bool isProduct = *into == "product";
  const Tensor &written = isProduct ? product : z, &other = isProduct ? z : product;
  TORCH_CHECK(at::is_expandable_to(other.sym_sizes(), written.sym_sizes()), name,
              ": what is added is of size ", other.sym_sizes(), ", and what it is written into of size ",
              written.sym_sizes());
}

}  // namespace kadvise

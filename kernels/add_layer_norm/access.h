// How the kernels of add + LayerNorm may reach the rows of a call.
#pragma once

#include "kernels/add_layer_norm/launch.h"
#include "kernels/common/access.h"

namespace kadvise {

inline Access accessOf(const AddLayerNormArgs& a) {
  const RowTensor tensors[] = {{a.x, a.xStride},
                               {a.residual, a.residualStride},
                               {a.sum, a.sumStride},
                               {a.normalized, {a.grid.inner * a.length, a.length}}};
  const void* const vectors[] = {a.weight, a.bias};
  return accessOf(a.grid, a.length, a.dtype, tensors, vectors);
}

}  // namespace kadvise

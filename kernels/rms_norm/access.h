// How the kernels of RMSNorm may reach the rows of a call.
#pragma once

#include "kernels/common/access.h"
#include "kernels/rms_norm/launch.h"

namespace kadvise {

inline Access accessOf(const RmsNormArgs& a) {
  const RowTensor tensors[] = {{a.x, a.xStride},
                               {a.residual, a.residualStride},
                               {a.sum, a.resultStride},
                               {a.normalized, a.resultStride}};
  const void* const vectors[] = {a.weight};
  return accessOf(a.grid, a.length, a.dtype, tensors, vectors);
}

}  // namespace kadvise

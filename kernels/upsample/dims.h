// Where the elements of a result lie in x along one dimension, as torch's CUDA kernels count it: in float.
#pragma once

#include "kernels/upsample/launch.h"

#include <optional>

namespace kadvise {

// What of both images is laid upon each other: elements 0 (nearest), the outer edges (its exact form, and all
// other modes), or the middles of the outer elements.
enum class Aligned { FirstElements, Edges, Corners };

// A factor, where one is given, says how many elements of the result come to one of x, whatever the sizes
// are.
inline UpsampleDim upsampleDim(UpsampleMode mode, Aligned aligned, std::int64_t size, std::int64_t resultSize,
                               std::optional<double> factor) {
  UpsampleDim d{static_cast<std::int32_t>(size), static_cast<std::int32_t>(resultSize), 0,
                aligned == Aligned::Edges ? 0.5f : 0.0f};
  if (aligned == Aligned::Corners) {
    if (resultSize > 1) d.ratio = static_cast<float>(size - 1) / static_cast<float>(resultSize - 1);
  } else if (mode == UpsampleMode::Nearest && size == resultSize) {
    d.ratio = 1;  // nobody asks for the factor
  } else if (factor && *factor > 0) {
    d.ratio = static_cast<float>(1.0 / *factor);
  } else {
    d.ratio = static_cast<float>(size) / static_cast<float>(resultSize);
  }
  return d;
}

}  // namespace kadvise

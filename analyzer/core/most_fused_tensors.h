// How many tensors put together at once (torch.cat) TorchScript's fuser may get: of more it compiles for
// minutes.
#pragma once

#include <cstddef>

namespace kadvise {

inline constexpr std::size_t kMostFusedTensors = 8;

}  // namespace kadvise

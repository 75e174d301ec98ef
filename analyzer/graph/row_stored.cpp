#include <algorithm>

#include "analyzer/graph/row_space.h"

namespace kadvise::graph {

std::optional<bool> storedWithoutReduced(const RowSpace& space, const torch::jit::Value* v) {
  auto& m = space.made.at(v);
  if (!m.isFull || m.first > 0) return std::nullopt;  // a result has the rank that its inputs have
  if (static_cast<int>(m.dims.size()) == space.rank) return false;
  if (!m.isRow || m.dims.size() + space.reduced.size() != static_cast<std::size_t>(space.rank))
    return std::nullopt;
  for (int d : m.dims)
    if (std::binary_search(space.reduced.begin(), space.reduced.end(), d)) return std::nullopt;
  return true;
}

}  // namespace kadvise::graph

#include "analyzer/graph/split_dimension.h"

#include "analyzer/graph/tensors.h"

namespace kadvise::graph {

std::optional<std::string> splitInput(const std::string& name, const torch::jit::Value* v,
                                      const SplitDimension& split, const TracedValues& traced) {
  auto seen = tensorOf(v, traced);
  if (!seen || seen->shape.size() > split.rank) return std::nullopt;
  const std::size_t behind = split.rank - split.dim;  // dimensions from this one on
  if (seen->shape.size() < behind) return name;
  auto call = [&](std::int64_t outer, std::int64_t inner) {
    return "torch.unflatten(" + name + ", -" + std::to_string(behind) + ", [" + std::to_string(outer) + ", " +
           std::to_string(inner) + "])";
  };
  const std::int64_t size = seen->shape[seen->shape.size() - behind];
  if (size == split.outer * split.inner) return call(split.outer, split.inner);
  return size == 1 ? std::optional(call(1, 1)) : std::nullopt;
}

}  // namespace kadvise::graph

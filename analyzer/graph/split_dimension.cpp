#include "analyzer/graph/split_dimension.h"

#include "analyzer/graph/tensors.h"

namespace kadvise::graph {

std::optional<std::string> splitInput(const std::string& name, const torch::jit::Value* v,
                                      const SplitDimension& split, const TracedValues& traced) {
  auto seen = tensorOf(v, traced);
  if (!seen || seen->shape.size() > split.rank) return std::nullopt;
  const std::size_t missing = split.rank - seen->shape.size();
  if (missing > split.dim) return name;
  const std::size_t dim = split.dim - missing;
  const std::string at = "(" + name + ", " + std::to_string(dim);
  if (seen->shape[dim] == 1) return "torch.unsqueeze" + at + ")";
  if (seen->shape[dim] != split.outer * split.inner) return std::nullopt;
  return "torch.unflatten" + at + ", " + sizesOf(split) + ")";
}

std::string sizesOf(const SplitDimension& split) {
  return "[" + std::to_string(split.outer) + ", " + std::to_string(split.inner) + "]";
}

}  // namespace kadvise::graph

#include "analyzer/graph/row_operators.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"

namespace kadvise::graph {
namespace {

using jit::Node;
namespace aten = jit::aten;

using Needs = std::optional<std::vector<RowNeed>>;
using Shape = std::vector<std::int64_t>;

// The row goes through: one operand, and dimensions as they were.
constexpr std::string_view kUnary[] = {"aten::contiguous", "kadvise::contiguous", "aten::to", "aten::dropout",
                                       "aten::clone"};

const Shape* shapeOf(const torch::jit::Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  return t && t->kind == "tensor" ? &t->shape : nullptr;
}

Needs first(std::size_t dim) { return {{{0, dim}}}; }

// Operands that are broadcast from the right; one that has a single row there keeps it.
Needs pointwise(const Node* n, std::size_t dim, const Shape& out, const TracedValues& traced) {
  std::vector<RowNeed> needs;
  for (std::size_t i = 0; i < n->inputs().size(); ++i) {
    if (!isTensor(n->input(i))) continue;
    auto* in = shapeOf(n->input(i), traced);
    if (!in || in->size() > out.size()) return std::nullopt;
    auto missing = out.size() - in->size();
    if (dim < missing) needs.push_back({i, std::nullopt});
    else needs.push_back({i, dim - missing});
  }
  return needs;
}

Needs linear(const Node* n, std::size_t dim, std::size_t rank) {
  if (dim + 1 >= rank) return std::nullopt;
  Needs needs = first(dim);
  for (std::size_t i = 1; i < n->inputs().size(); ++i)
    if (isTensor(n->input(i))) needs->push_back({i, std::nullopt});
  return needs;
}

Needs product(const Node* n, std::size_t dim, std::size_t rank, const TracedValues& traced) {
  auto *a = shapeOf(n->input(0), traced), *b = shapeOf(n->input(1), traced);
  if (!a || !b || a->size() != rank || rank < 2) return std::nullopt;
  bool ofRows = dim + 2 == rank || (b->size() == 2 && dim + 2 < rank);
  return ofRows ? Needs({{{0, dim}, {1, std::nullopt}}}) : std::nullopt;
}

Needs layerNorm(const Node* n, std::size_t dim, std::size_t rank) {
  auto sizes = jit::toIValue(n->input(1));
  if (!sizes || !sizes->isIntList() || dim + sizes->toIntVector().size() >= rank) return std::nullopt;
  Needs needs = first(dim);
  for (std::size_t i = 2; i < 4; ++i)
    if (isTensor(n->input(i))) needs->push_back({i, std::nullopt});
  return needs;
}

Needs attention(const Node* n, std::size_t dim, std::size_t rank, const TracedValues& traced) {
  auto causal = n->inputs().size() > 5 ? jit::toIValue(n->input(5)) : std::nullopt;
  if (dim + 2 != rank || !causal || !causal->isBool() || causal->toBool()) return std::nullopt;
  Needs needs = {{{0, dim}, {1, std::nullopt}, {2, std::nullopt}}};
  if (isNone(n->input(3))) return needs;
  auto* mask = shapeOf(n->input(3), traced);
  if (!mask || mask->size() < 2) return std::nullopt;
  needs->push_back({3, mask->size() - 2});
  return needs;
}

}  // namespace

Needs rowNeeds(const Node* n, std::size_t dim, const TracedValues& traced) {
  if (n->outputs().size() != 1 || !isTensor(n->output())) return std::nullopt;
  auto* out = shapeOf(n->output(), traced);
  if (!out || dim >= out->size()) return std::nullopt;
  const auto rank = out->size();
  if (n->kind() == aten::linear) return linear(n, dim, rank);
  if (n->kind() == aten::matmul) return product(n, dim, rank, traced);
  if (n->kind() == aten::layer_norm) return layerNorm(n, dim, rank);
  if (n->kind() == aten::scaled_dot_product_attention) return attention(n, dim, rank, traced);
  if (n->kind() == aten::softmax || n->kind() == aten::log_softmax) {
    auto along = dimensionAt(n->input(1), rank);
    return along && *along != dim ? first(dim) : std::nullopt;
  }
  if (n->kind() == aten::transpose) {
    auto a = dimensionAt(n->input(1), rank), b = dimensionAt(n->input(2), rank);
    if (!a || !b) return std::nullopt;
    return first(dim == *a ? *b : dim == *b ? *a : dim);
  }
  if (n->kind() == aten::permute) {
    auto order = jit::toIValue(n->input(1));
    if (!order || !order->isIntList() || order->toIntVector().size() != rank) return std::nullopt;
    auto from = order->toIntVector()[dim];
    return first(static_cast<std::size_t>(from < 0 ? from + static_cast<std::int64_t>(rank) : from));
  }
  if (!isPointwise(n) && !isOneOf(kUnary, n)) return std::nullopt;
  return pointwise(n, dim, *out, traced);
}

}  // namespace kadvise::graph

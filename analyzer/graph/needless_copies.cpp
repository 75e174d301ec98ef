// Copies that change the order in memory: those that the reader did not need, and those that a reshape
// forces.
#include <algorithm>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/memory_rules.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr int kMostViews = 4;  // between a copy and its reader

// The layouts that cuBLAS takes: one of the last two dimensions is dense, and rows do not overlap.
bool isMatrix(const TracedValue& v) {
  auto rank = v.shape.size();
  if (rank < 2) return false;
  auto rows = v.shape[rank - 2], columns = v.shape[rank - 1];
  auto rowStride = v.strides[rank - 2], columnStride = v.strides[rank - 1];
  return (columnStride == 1 && rowStride >= std::max<std::int64_t>(columns, 1)) ||
         (rowStride == 1 && columnStride >= std::max<std::int64_t>(rows, 1));
}

std::optional<TracedValue> viewed(const TracedValue& v, const std::vector<std::int64_t>& shape) {
  auto strides = at::detail::computeStride(v.shape, v.strides, shape);
  if (!strides) return std::nullopt;
  TracedValue out = v;
  out.shape = shape;
  out.strides = *strides;
  return out;
}

// More than one batch dimension is folded into one before the product, by a copy where that is no view.
bool productReads(const Node* product, const TracedValue& v) {
  auto rank = v.shape.size();
  if (rank < 2) return false;
  std::size_t kept = product->kind() == jit::aten::linear ? 1 : 2;  // a linear layer folds the rows as well
  std::vector<std::int64_t> folded(v.shape.end() - static_cast<std::ptrdiff_t>(kept), v.shape.end());
  if (rank <= kept + 1) return isMatrix(v);
  std::int64_t batch = 1;
  for (std::size_t i = 0; i < rank - kept; ++i) batch *= v.shape[i];
  folded.insert(folded.begin(), batch);
  auto matrix = viewed(v, folded);
  return matrix && isMatrix(*matrix);
}

// Whether everyone who reads value would do as well with the strides of `as`.
bool everyReaderTakes(const Value* value, const TracedValue& as, const TracedValues& traced, int depth) {
  if (value->uses().empty() || depth == 0) return false;
  return std::all_of(value->uses().begin(), value->uses().end(), [&](const jit::Use& use) {
    const Node* reader = use.user;
    auto kind = kindOf(reader).kind;
    if (kind == OperatorKind::MatMul && reader->kind() != jit::aten::einsum) return productReads(reader, as);
    bool reshapes = reader->kind() == jit::aten::view || kind == OperatorKind::Reshape;
    auto out = reshapes ? tensorOf(reader->output(), traced) : std::nullopt;
    auto seen = out ? viewed(as, out->shape) : std::nullopt;
    return seen && everyReaderTakes(reader->output(), *seen, traced, depth - 1);
  });
}

// A copy in another order that none of its readers needs.
bool isForNothing(const Node* n, const TracedValue& in, const TracedValues& traced) {
  auto out = tensorOf(n->output(), traced);
  bool reorders = out && in.strides.size() == in.shape.size() && out->strides != in.strides;
  return isPlainCopy(n) && reorders && everyReaderTakes(n->output(), in, traced, kMostViews);
}

bool isViewOnly(const Value* v) {
  return std::all_of(v->uses().begin(), v->uses().end(), [](const jit::Use& use) {
    return use.user->kind() == jit::aten::view || kindOf(use.user).kind == OperatorKind::Reshape;
  });
}

}  // namespace

CodedResult findCopiesBeforeUse(const RulePage&, const Analysis& a) {
  Places places;
  forEachNode(a.graph.block(), [&](Node* n) {
    if (!isPlainCopy(n) || !isCopy(n, a.traced) || costOf(n, a.traced).bytes() < kSmallBytes) return;
    auto in = tensorOf(n->input(0), a.traced);
    if (!in || !isForNothing(n, *in, a.traced) || a.aliases.hasWriters(n->output()) ||
        a.aliases.hasWriters(n->input(0)))
      return;
    places.add(n,
               std::string(n->kind().toQualString()) + " copies a transposed " + describe(&*in) +
                   " for a matrix product, which reads it "
                   "as fast as it is",
               estimateWithout(n, a));
  });
  return places.take(a, "no transposed tensor is copied for a reader that takes strides");
}

CodedResult findCopyingReshapes(const RulePage&, const Analysis& a) {
  Places places;
  forEachNode(a.graph.block(), [&](Node* n) {
    if (!isCopy(n, a.traced) || costOf(n, a.traced).bytes() < kSmallBytes) return;
    auto in = tensorOf(n->input(0), a.traced);
    bool reshapes = kindOf(n).kind == OperatorKind::Reshape;
    bool forView =
        n->kind() == jit::aten::contiguous && !n->output()->uses().empty() && isViewOnly(n->output());
    if (!in || (!reshapes && !forView) || isForNothing(n, *in, a.traced)) return;
    std::string what = isExpanded(*in) ? " writes out what expand had only described, " : " copies ";
    std::string why = isExpanded(*in) ? "" : ", because its order in memory does not fit the new shape";
    places.add(n, std::string(n->kind().toQualString()) + what + describe(&*in) + why, estimateWithout(n, a));
  });
  return places.take(a, "every reshape is a view");
}

}  // namespace kadvise::graph

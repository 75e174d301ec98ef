#include "analyzer/graph/row_copies.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr RowWord kReshape = {"aten::reshape", rowSame};

// Its sizes and strides with dimensions in the order of the space, those that it has not of size 1.
TracedValue alignedTo(const RowSpace& space, const TracedValue& t, const RowSpace::Dims& dims) {
  TracedValue out = t;
  out.shape.assign(space.sizes.size(), 1);
  out.strides.assign(space.sizes.size(), 0);
  for (std::size_t d = 0; d < dims.size(); ++d) {
    out.shape[static_cast<std::size_t>(dims[d])] = t.shape[d];
    out.strides[static_cast<std::size_t>(dims[d])] = t.strides[d];
  }
  return out;
}

bool swapsLastTwo(Node* n, std::size_t rank) {
  if (n->kind() != aten::transpose) return false;
  auto a = dimensionAt(n->input(1), rank), b = dimensionAt(n->input(2), rank);
  return a && b && *a != *b && std::min(*a, *b) + 2 == rank;
}

bool isProductOfBatches(const jit::Use& use, std::size_t rank, const TracedValues& traced) {
  if (use.user->kind() != aten::matmul) return false;
  auto* other = tensorSeen(use.user->input(1 - use.offset), traced);
  return other && other->shape.size() == rank;
}

bool isReadByProductsOnly(const Value* v, std::size_t rank, const TracedValues& traced) {
  return !v->uses().empty() && std::all_of(v->uses().begin(), v->uses().end(), [&](auto& use) {
    return swapsLastTwo(use.user, rank) ? isReadByProductsOnly(use.user->output(), rank, traced)
                                        : isProductOfBatches(use, rank, traced);
  });
}

bool isReadByLinearsOnly(const Value* v) {
  return !v->uses().empty() && std::all_of(v->uses().begin(), v->uses().end(), [](auto& use) {
    return use.user->kind() == aten::linear && use.offset == 0;
  });
}

// matmul makes one batch of several, by a copy where they do not lie so, and linear rows. Nobody else sees
// how they lie.
bool isCopiedByProducts(const Value* v, const TracedValues& traced) {
  auto* t = tensorSeen(v, traced);
  if (!t) return false;
  const std::size_t rank = t->shape.size();
  return (rank > 3 && !areOneBatch(*t) && isReadByProductsOnly(v, rank, traced)) ||
         (rank > 2 && !isContiguous(*t) && isReadByLinearsOnly(v));
}

bool makesContiguous(const RowNode& n) {
  return n.op.shapedAs || n.node->kind() == aten::contiguous || isGeneratedCopy(n.node);
}

// Of those that the question is about the one that makes the value, or comes first on the way to it; nullptr
// where there is none.
template <class Question>
const RowNode* makerOf(const RowRegion& region, const Value* v, Question isOne) {
  for (std::size_t i = region.nodes.size(); i-- > 0;) {
    auto& n = *region.nodes[i];
    if (n.node != v->node()) continue;
    if (isOne(n)) return &n;
    bool isGiven = n.op.operands.empty() || region.space.reads[i][0] != RowSpace::kInside;
    if (isGiven || n.op.isReduction) return nullptr;
    v = n.op.operands[0].value;
  }
  return nullptr;
}

bool isInOrder(const RowRegion& region, const RowNode& n) {
  auto& dims = region.space.made.at(n.node->output(0)).dims;
  return std::is_sorted(dims.begin(), dims.end());
}

// Where sizes are 1 the order of their dimensions is not to be seen, but the strides are those of it.
bool liesInOrder(const TracedValue& t) {
  std::int64_t stride = 1;
  for (std::size_t d = t.shape.size(); d-- > 0; stride *= std::max<std::int64_t>(t.shape[d], 1))
    if (t.strides[d] != stride) return false;
  return true;
}

// What the program lays it out by: of the inputs that it is computed of without a reduction the first that
// has its elements.
const RowSpace::Reading* laidOutBy(const RowRegion& region, const Value* v, const TracedValues& traced) {
  for (auto i : readingsBehind(region, v, Behind::NoReduction)) {
    auto& reading = region.space.readings[i];
    auto* t = tensorSeen(reading.value, traced);
    if (reading.how != RowRead::Elements || !t) continue;
    auto aligned = alignedTo(region.space, *t, reading.dims);
    if (aligned.shape == region.space.sizes && !isExpanded(aligned)) return &reading;
  }
  return nullptr;
}

}  // namespace

const TracedValue* tensorSeen(const Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  return t && t->kind == "tensor" && hasStrides(*t) ? t : nullptr;
}

bool areOneBatch(const TracedValue& t) {
  for (std::size_t d = 0; d + 3 < t.shape.size(); ++d)
    if (t.shape[d] != 1 && t.strides[d] != t.shape[d + 1] * t.strides[d + 1]) return false;
  return true;
}

std::optional<RowOperator> reshapeCopyOf(const Node* n, const TracedValues& traced) {
  bool reshapes = n->kind() == aten::reshape || n->kind() == aten::flatten;
  if (!reshapes || !isCopy(n, traced)) return std::nullopt;
  const Value* in = n->inputs()[0];
  auto *from = tensorSeen(in, traced), *to = traced.find(n->output());
  // An expanded one would be written as often as it is seen: that is for rules about repeated heads.
  if (!from || !to || !isRowDtype(from->dtype) || isExpanded(*from)) return std::nullopt;
  if (jit::toIValue(const_cast<Value*>(in)) || from->device != to->device) return std::nullopt;
  RowOperator op;
  op.rank = static_cast<int>(from->shape.size());
  for (int d = 0; d < op.rank; ++d) op.result.push_back(d);
  op.operands = {{in, op.result}};
  op.shapedAs = in;
  op.word = &kReshape;
  return op;
}

bool isRowCopy(const RowNode& n, const TracedValues& traced) {
  return (isPlainCopy(n.node) || isGeneratedCopy(n.node) || n.op.shapedAs) && isCopy(n.node, traced);
}

bool isWorthACopy(const RowNode& n, const TracedValues& traced) {
  if (!isRowCopy(n, traced) || isGeneratedCopy(n.node)) return false;
  auto *in = tensorSeen(n.node->inputs()[0], traced), *out = tensorSeen(n.node->output(), traced);
  bool keepsOrder = in && out && !n.op.shapedAs && in->strides == out->strides;  // clone()
  return in && !keepsOrder && !isExpanded(*in) && denseBytes(*in) >= kSmallestCopy;
}

bool saysOrder(const RowNode& n, const TracedValues& traced) {
  if (n.op.shapedAs || !makesContiguous(n)) return n.op.shapedAs;
  auto* in = tensorSeen(n.node->inputs()[0], traced);
  return !in || !liesInOrder(*in);
}

bool losesItsOrder(const RowRegion& region, const Value* v, const TracedValues& traced) {
  auto* by = makerOf(region, v, [&](auto& n) { return saysOrder(n, traced); });
  return by && !isInOrder(region, *by);
}

bool isToldContiguous(const RowRegion& region, const Value* v, const TracedValues& traced) {
  auto& made = region.space.made.at(v);
  auto* t = tensorSeen(v, traced);
  if (made.isRow || !t) return false;
  const bool isSorted = std::is_sorted(made.dims.begin(), made.dims.end());
  if (isSorted && isCopiedByProducts(v, traced)) return true;
  if (!isContiguous(isSorted ? *t : alignedTo(region.space, *t, made.dims))) return false;
  if (auto* by = makerOf(region, v, makesContiguous); by && isInOrder(region, *by)) return true;
  auto* first = laidOutBy(region, v, traced);
  return first && !isContiguous(alignedTo(region.space, *traced.find(first->value), first->dims));
}

}  // namespace kadvise::graph

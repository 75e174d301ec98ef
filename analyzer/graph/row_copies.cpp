#include "analyzer/graph/row_copies.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr double kSmallestCopy = 128 << 10;  // bytes: below, the launch is what takes the time

void same(const Node* n, RowWriter& w, const char*) { w.define(n->output(), w.termOf(n->inputs()[0])); }

constexpr RowWord kReshape = {"aten::reshape", same};

bool isPlainCopy(const Node* n) { return n->kind() == aten::contiguous || n->kind() == aten::clone; }

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

bool isExpanded(const TracedValue& t) {
  for (std::size_t d = 0; d < t.shape.size(); ++d)
    if (t.strides[d] == 0 && t.shape[d] > 1) return true;
  return false;
}

bool hasStrides(const TracedValue* t) {
  return t && t->kind == "tensor" && t->strides.size() == t->shape.size();
}

}  // namespace

std::optional<RowOperator> reshapeCopyOf(const Node* n, const TracedValues& traced) {
  bool reshapes = n->kind() == aten::reshape || n->kind() == aten::flatten;
  if (!reshapes || !isCopy(n, traced)) return std::nullopt;
  const Value* in = n->inputs()[0];
  auto *from = traced.find(in), *to = traced.find(n->output());
  // An expanded one would be written as often as it is seen: that is for rules about repeated heads.
  if (!hasStrides(from) || !to || !isRowDtype(from->dtype) || isExpanded(*from)) return std::nullopt;
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
  return (isPlainCopy(n.node) || n.op.shapedAs) && isCopy(n.node, traced);
}

bool isWorthACopy(const RowNode& n, const TracedValues& traced) {
  if (!isRowCopy(n, traced)) return false;
  auto* t = traced.find(n.node->inputs()[0]);
  return hasStrides(t) && !isExpanded(*t) && denseBytes(*t) >= kSmallestCopy;
}

bool isToldContiguous(const RowSpace& space, const Value* v, const TracedValues& traced) {
  auto& made = space.made.at(v);
  auto* t = traced.find(v);
  if (made.isRow || !std::is_sorted(made.dims.begin(), made.dims.end()) || !hasStrides(t) ||
      !isContiguous(*t))
    return false;
  for (auto& reading : space.readings) {
    auto* in = traced.find(reading.value);
    if (reading.isTable || !hasStrides(in)) continue;
    auto aligned = alignedTo(space, *in, reading.dims);
    if (aligned.shape != space.sizes || isExpanded(aligned)) continue;
    return !isContiguous(aligned);
  }
  return false;
}

}  // namespace kadvise::graph

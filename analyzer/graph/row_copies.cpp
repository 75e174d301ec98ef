#include "analyzer/graph/row_copies.h"

#include <algorithm>
#include <set>
#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr double kSmallestCopy = 128 << 10;  // bytes: below, the launch is what takes the time

void same(const Node* n, RowWriter& w, const char*) { w.define(n->output(), w.termOf(n->inputs()[0])); }

constexpr RowWord kReshape = {"aten::reshape", same};

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

const TracedValue* tensorSeen(const Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  return t && t->kind == "tensor" && hasStrides(*t) ? t : nullptr;
}

// What a value is laid out by, which is given out at its own elements: the first of what it is computed of.
class LaidOutBy {
 public:
  LaidOutBy(const RowRegion& region, const TracedValues& traced) : region_(region), traced_(traced) {
    for (std::size_t i = 0; i < region.nodes.size(); ++i)
      for (const Value* v : region.nodes[i]->node->outputs()) makers_[v] = i;
  }

  // Whether contiguous() or a reshape stands there, or comes first on the way to it.
  bool contiguousNode(const Value* v) const {
    auto at = makers_.find(v);
    if (at == makers_.end()) return false;
    auto& n = *region_.nodes[at->second];
    if (n.op.shapedAs || n.node->kind() == aten::contiguous) return true;
    bool isMadeHere = !n.op.operands.empty() && region_.space.reads[at->second][0] == RowSpace::kInside;
    return isMadeHere && !n.op.isReduction && contiguousNode(n.op.operands[0].value);
  }

  // Of the inputs that the value is computed of without a reduction the first that has its elements.
  const RowSpace::Reading* input(const Value* v) const {
    std::set<std::size_t> found;
    collect(v, found);
    for (auto i : found) {
      auto& reading = region_.space.readings[i];
      auto* t = tensorSeen(reading.value, traced_);
      if (reading.isTable || !t) continue;
      auto aligned = alignedTo(region_.space, *t, reading.dims);
      if (aligned.shape == region_.space.sizes && !isExpanded(aligned)) return &reading;
    }
    return nullptr;
  }

 private:
  void collect(const Value* v, std::set<std::size_t>& found) const {
    auto at = makers_.find(v);
    if (at == makers_.end() || region_.nodes[at->second]->op.isReduction) return;
    auto& n = *region_.nodes[at->second];
    for (std::size_t k = 0; k < n.op.operands.size(); ++k) {
      auto read = region_.space.reads[at->second][k];
      if (read == RowSpace::kInside) collect(n.op.operands[k].value, found);
      else found.insert(read);
    }
  }

  const RowRegion& region_;
  const TracedValues& traced_;
  std::unordered_map<const Value*, std::size_t> makers_;
};

}  // namespace

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
  return (isPlainCopy(n.node) || n.op.shapedAs) && isCopy(n.node, traced);
}

bool isWorthACopy(const RowNode& n, const TracedValues& traced) {
  if (!isRowCopy(n, traced)) return false;
  auto *in = tensorSeen(n.node->inputs()[0], traced), *out = tensorSeen(n.node->output(), traced);
  bool keepsOrder = in && out && !n.op.shapedAs && in->strides == out->strides;  // clone()
  return in && !keepsOrder && !isExpanded(*in) && denseBytes(*in) >= kSmallestCopy;
}

bool isToldContiguous(const RowRegion& region, const Value* v, const TracedValues& traced) {
  auto& made = region.space.made.at(v);
  auto* t = tensorSeen(v, traced);
  if (made.isRow || !std::is_sorted(made.dims.begin(), made.dims.end()) || !t || !isContiguous(*t))
    return false;
  LaidOutBy laidOut(region, traced);
  if (laidOut.contiguousNode(v)) return true;
  auto* first = laidOut.input(v);
  return first && !isContiguous(alignedTo(region.space, *traced.find(first->value), first->dims));
}

}  // namespace kadvise::graph

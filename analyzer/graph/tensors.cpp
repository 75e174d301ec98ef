#include "analyzer/graph/tensors.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr int kMostViews = 64;  // of one memory, in a row

TracedValue ofConstant(const at::Tensor& t) {
  TracedValue v;
  v.kind = "tensor";
  v.dtype = t.scalar_type();
  v.shape = t.sizes().vec();
  if (t.layout() == c10::kStrided) v.strides = t.strides().vec();
  return v;
}

void collect(const Value* v, std::vector<const Value*>& out, int depth) {
  auto kind = v->node()->kind();
  bool made = kind == jit::prim::ListConstruct || kind == jit::prim::TupleConstruct;
  if (isTensor(v)) {
    if (std::find(out.begin(), out.end(), v) == out.end()) out.push_back(v);
  } else if (made && depth > 0) {
    for (const Value* in : v->node()->inputs()) collect(in, out, depth - 1);
  }
}

bool changesStorage(const TracedValue& in, const TracedValue& out) {
  return in.dtype != out.dtype || (!in.device.empty() && !out.device.empty() && in.device != out.device);
}

bool sameStrides(const TracedValue& a, const TracedValue& b) {
  for (std::size_t i = 0; i < a.shape.size(); ++i)
    if (a.shape[i] > 1 && a.strides[i] != b.strides[i]) return false;
  return true;
}

// reshape and flatten make a view where the strides allow it; contiguous and to hand on their input where
// nothing is left to do.
Overlap overlapOfMaybe(const Node* n, const TracedValue& in, const TracedValue& out) {
  if (changesStorage(in, out)) return Overlap::Own;
  if (!hasStrides(in) || !hasStrides(out)) return Overlap::Unknown;
  if (kindOf(n).kind == OperatorKind::Reshape) return canView(in, out.shape) ? Overlap::Shared : Overlap::Own;
  auto copy = n->hasNamedInput("copy") ? jit::toIValue(n->namedInput("copy")) : std::nullopt;
  if (copy && copy->isBool() && copy->toBool()) return Overlap::Own;
  return in.shape == out.shape && sameStrides(in, out) ? Overlap::Shared : Overlap::Own;
}

}  // namespace

bool hasStrides(const TracedValue& v) { return v.strides.size() == v.shape.size(); }
bool isExpanded(const TracedValue& v) { return bytesOf(v) < denseBytes(v); }

std::optional<TracedValue> tensorOf(const Value* v, const TracedValues& traced) {
  if (v->node()->kind() == jit::prim::Constant) {
    auto constant = jit::toIValue(v);
    if (constant && constant->isTensor() && constant->toTensor().defined())
      return ofConstant(constant->toTensor());
    return std::nullopt;
  }
  auto* seen = traced.find(v);
  return seen && seen->kind == "tensor" ? std::optional(*seen) : std::nullopt;
}

std::vector<const Value*> tensorsIn(at::ArrayRef<const Value*> values) {
  constexpr int kNesting = 3;
  std::vector<const Value*> out;
  for (const Value* v : values) collect(v, out, kNesting);
  return out;
}

std::vector<const Value*> tensorInputs(const Node* n) { return tensorsIn(n->inputs()); }

double elements(const TracedValue& v) {
  double n = 1;
  for (auto size : v.shape) n *= static_cast<double>(size);
  return n;
}

double elementBytes(const TracedValue& v) {
  return v.dtype == c10::ScalarType::Undefined ? 0 : static_cast<double>(c10::elementSize(v.dtype));
}

double bytesOf(const TracedValue& v) {
  double n = 1;
  for (std::size_t i = 0; i < v.shape.size(); ++i)
    if (!hasStrides(v) || v.strides[i] != 0 || v.shape[i] == 0) n *= static_cast<double>(v.shape[i]);
  return n * elementBytes(v);
}

double denseBytes(const TracedValue& v) { return elements(v) * elementBytes(v); }

bool isContiguous(const TracedValue& v) {
  if (!hasStrides(v)) return false;
  std::int64_t expected = 1;
  for (std::size_t i = v.shape.size(); i-- > 0;) {
    if (v.shape[i] == 0) return true;
    if (v.shape[i] > 1 && v.strides[i] != expected) return false;
    expected *= v.shape[i];
  }
  return true;
}

bool canView(const TracedValue& v, const std::vector<std::int64_t>& shape) {
  return hasStrides(v) && at::detail::computeStride(v.shape, v.strides, shape).has_value();
}

Overlap overlapOf(const Node* n, const TracedValues& traced) {
  if (n->inputs().empty() || n->outputs().empty()) return Overlap::Own;
  auto kind = kindOf(n).kind;
  if (kind == OperatorKind::View) return Overlap::Shared;
  auto* schema = n->maybeSchema();
  bool inPlace = schema && !schema->arguments().empty() && schema->arguments()[0].alias_info() &&
                 schema->arguments()[0].alias_info()->isWrite();
  if (inPlace) return Overlap::Shared;
  if (kind != OperatorKind::Reshape && kind != OperatorKind::Conversion) return Overlap::Own;
  auto in = tensorOf(n->input(0), traced), out = tensorOf(n->output(0), traced);
  return in && out ? overlapOfMaybe(n, *in, *out) : Overlap::Unknown;
}

bool isCopy(const Node* n, const TracedValues& traced) {
  auto kind = kindOf(n).kind;
  if (kind == OperatorKind::Copy) return true;
  return (kind == OperatorKind::Reshape || kind == OperatorKind::Conversion) &&
         overlapOf(n, traced) == Overlap::Own;
}

const Value* baseOf(const Value* v, const TracedValues& traced) {
  for (int i = 0; i < kMostViews && !v->node()->inputs().empty() && v->node()->blocks().empty(); ++i) {
    if (overlapOf(v->node(), traced) != Overlap::Shared) break;
    v = v->node()->input(0);
  }
  return v;
}

}  // namespace kadvise::graph

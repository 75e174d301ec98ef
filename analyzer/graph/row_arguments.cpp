// What the parts of the table of row_statements.cpp ask of a node.
#include <algorithm>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"
#include "analyzer/graph/row_statements.h"

namespace kadvise::graph {
using jit::Node;
using jit::Value;

void rowUnsupported(const std::string& what) { throw Error("row program", what); }

bool isComputedNumber(const Value* v) {
  return v->type()->kind() == c10::TypeKind::FloatType && !jit::toIValue(const_cast<Value*>(v));
}

c10::ScalarType rowDtypeOf(const Value* v, const TracedValues& traced) {
  return isComputedNumber(v) ? at::kFloat : traced.find(v)->dtype;
}

int rowPixelsOf(const Node* n) {
  if (n->kind() == jit::aten::adaptive_avg_pool1d) return 1;
  if (n->kind() == jit::aten::adaptive_avg_pool2d) return 2;
  return n->kind() == jit::aten::adaptive_avg_pool3d ? 3 : 0;
}

bool isOnePixel(const Node* n) {
  auto isOne = [](Value* v) { return constantInt(v) == 1; };
  Value* sizes = argumentNamed(n, "output_size");
  if (auto constant = jit::toIValue(sizes))
    return constant->isIntList() && !constant->toIntVector().empty() &&
           std::ranges::all_of(constant->toIntVector(), [](auto size) { return size == 1; });
  Node* list = sizes->node();
  return list->kind() == jit::prim::ListConstruct && std::ranges::all_of(list->inputs(), isOne);
}

c10::IValue rowConstantOf(const Node* n, const char* name) {
  Value* v = argumentNamed(n, name);
  if (!v) return {};
  auto constant = jit::toIValue(v);
  if (!constant) rowUnsupported(std::string("has an argument that is computed: ") + name);
  return *constant;
}

RowType rowArithmeticType(const Node* n, const RowWriter& w) {
  auto dtype = rowResultOf(n, w);
  bool wraps = dtype == at::kByte || dtype == at::kChar || dtype == at::kShort;
  if (wraps) rowUnsupported("computes with whole numbers of less than 32 bits");
  return rowTypeOf(dtype);
}

RowTerm rowOperand(const Node* n, RowWriter& w, std::size_t i, RowType type) {
  return w.as(type, w.termOf(n->inputs()[i]));
}

std::optional<double> rowNumberOf(const Node* n, const char* name) {
  auto v = rowConstantOf(n, name);
  if (v.isInt()) return static_cast<double>(v.toInt());
  return v.isDouble() ? std::optional(v.toDouble()) : std::nullopt;
}

bool rowFlagOf(const Node* n, const char* name) {
  auto v = rowConstantOf(n, name);
  return v.isBool() && v.toBool();
}

std::string rowStringOf(const Node* n, const char* name) {
  auto v = rowConstantOf(n, name);
  return v.isString() ? v.toStringRef() : "";
}

const Value* rowTensorOf(const Node* n, const char* name) {
  Value* v = argumentNamed(n, name);
  return v && isTensor(v) && !isNone(v) ? v : nullptr;
}

c10::ScalarType rowResultOf(const Node* n, const RowWriter& w) {
  auto* seen = w.traced().find(n->outputs()[0]);
  return seen ? seen->dtype : c10::ScalarType::Undefined;
}

const char* whyNotRead(const Node* n, const RowOperator& op, const TracedValues& traced) {
  auto why = [&](const Value* v) -> const char* {
    auto* t = traced.find(v);
    if (!t || (t->kind != "tensor" && !isComputedNumber(v))) return "shape-not-known";
    return isRowDtype(rowDtypeOf(v, traced)) ? nullptr : "unsupported-dtype";
  };
  for (auto& o : op.operands)
    if (auto* reason = why(o.value)) return reason;
  for (const Value* out : n->outputs())
    if (auto* reason = why(out)) return reason;
  // No copy from one device to another, but a number of the host comes with the launch. Parameters follow the
  // module.
  auto& device = traced.find(n->outputs()[0])->device;
  bool anyIsThere = false;
  for (auto& o : op.operands) {
    auto* t = traced.find(o.value);
    bool isThere = t->device.empty() || device.empty() || t->device == device;
    anyIsThere = anyIsThere || isThere;
    if (!isThere && !(t->shape.empty() && t->device == "cpu")) return "moves-between-devices";
  }
  return anyIsThere ? nullptr : "moves-between-devices";
}

}  // namespace kadvise::graph

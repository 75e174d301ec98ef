#include "analyzer/graph/data_rows.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

struct OperandOf {
  std::string_view op;
  std::size_t operand;
};

constexpr OperandOf kChoosers[] = {
    {"aten::nonzero", 0},  {"aten::nonzero_numpy", 0}, {"aten::argwhere", 0},
    {"aten::_unique2", 0}, {"aten::unique_dim", 0},    {"aten::unique_consecutive", 0},
    {"aten::bincount", 0}, {"aten::masked_select", 1},
};

constexpr OperandOf kKeepers[] = {
    {"aten::linear", 0},    {"aten::matmul", 0},  {"aten::mm", 0},         {"aten::layer_norm", 0},
    {"aten::softmax", 0},   {"aten::to", 0},      {"aten::clone", 0},      {"aten::contiguous", 0},
    {"aten::detach", 0},    {"aten::dropout", 0}, {"prim::ListUnpack", 0}, {"aten::len", 0},
    {"aten::embedding", 1}, {"aten::numel", 0},
};

template <std::size_t N>
const Value* operandIn(const OperandOf (&table)[N], const Node* n) {
  for (auto& entry : table)
    if (entry.op == n->kind().toQualString()) return n->input(entry.operand);
  return nullptr;
}

// They keep the first dimension where the one that they are given is another.
constexpr std::string_view kOfOtherDimension[] = {"aten::squeeze", "aten::select", "aten::slice"};

std::optional<std::int64_t> numberAt(const Node* n, std::size_t operand) {
  return operand < n->inputs().size() ? constantInt(const_cast<Value*>(n->input(operand))) : std::nullopt;
}

bool isMask(const Value* v) {
  auto type = v->type()->cast<c10::TensorType>();
  auto dtype = type ? type->scalarType() : std::nullopt;
  return dtype ? *dtype == at::kBool || *dtype == at::kByte : givesTruthValues(v->node());
}

// x[first, …]
const Value* firstIndexOf(const Node* n) {
  const Node* list = n->kind() == aten::index ? n->input(1)->node() : nullptr;
  return list && list->kind() == prim::ListConstruct && !list->inputs().empty() ? list->input(0) : nullptr;
}

// x.size() and x.size(0); the first of several sizes, any of several tensors.
bool readsFirstSize(const Node* n) {
  if (n->kind() == aten::size) return n->inputs().size() == 1 || numberAt(n, 1) == 0;
  return n->kind() == aten::__getitem__ && (holdsTensors(n->input(0)->type()) || numberAt(n, 1) == 0);
}

bool keepsFirst(const Node* n) {
  auto dimension = isOneOf(kOfOtherDimension, n) ? numberAt(n, 1) : std::nullopt;
  return dimension && *dimension > 0;
}

}  // namespace

const Value* rowChooserOf(const Node* n) {
  if (auto* index = firstIndexOf(n)) return isMask(index) ? index : nullptr;
  if (n->kind() == aten::where) return n->inputs().size() == 1 ? n->input(0) : nullptr;
  return operandIn(kChoosers, n);
}

std::vector<const Value*> rowKeepersOf(const Node* n) {
  if (auto* index = firstIndexOf(n)) return {index};
  if (readsFirstSize(n) || keepsFirst(n)) return {n->input(0)};
  if (n->kind() == aten::index_select && numberAt(n, 1) == 0) return {n->input(2)};
  if (auto* kept = operandIn(kKeepers, n)) return {kept};
  if (!hasTag(n, at::Tag::pointwise)) return {};
  std::vector<const Value*> out;
  std::copy_if(n->inputs().begin(), n->inputs().end(), std::back_inserter(out),
               [](const Value* v) { return isTensor(v); });
  return out;
}

bool hasChosenRows(const Node* n, std::size_t output) {
  if (n->kind() == prim::ListUnpack) return output == 0 || holdsTensors(n->output(output)->type());
  std::string_view op = n->kind().toUnqualString();
  return output != 1 || op.find("unique") == std::string_view::npos;
}

}  // namespace kadvise::graph

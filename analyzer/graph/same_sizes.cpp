#include "analyzer/graph/same_sizes.h"

#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_operators.h"

namespace kadvise::graph {
namespace {

using jit::Value;
namespace aten = jit::aten;

constexpr int kLongestChain = 1000;

// What select, slice, or one of the pieces of unbind, split and chunk leave as it is: every dimension but
// that along which they cut. nullopt for other values, and for that dimension.
std::optional<Dimension> beforeCut(Dimension d, const TracedValues& traced) {
  auto* n = d.first->node();
  if (n->kind() == jit::prim::ListUnpack || n->kind() == aten::__getitem__) n = n->input(0)->node();
  bool drops = n->kind() == aten::select || n->kind() == aten::unbind;
  bool keeps = n->kind() == aten::slice || n->kind() == aten::split || n->kind() == aten::chunk;
  if (!drops && !keeps) return std::nullopt;
  auto* in = traced.find(n->input(0));
  bool dimLast = n->kind() == aten::split || n->kind() == aten::chunk;
  auto along = in ? dimensionAt(n->input(dimLast ? 2 : 1), in->shape.size()) : std::nullopt;
  if (!along || (keeps && d.second == *along)) return std::nullopt;
  return Dimension{n->input(0), d.second + (drops && d.second >= *along ? 1 : 0)};
}

constexpr std::string_view kKeepSizes[] = {"aten::layer_norm", "aten::softmax", "aten::log_softmax"};
constexpr std::string_view kKeepAllButTheLast[] = {"aten::linear", "aten::matmul",
                                                   "aten::scaled_dot_product_attention"};

bool hasSizeOfFirst(const jit::Node* n, std::size_t dim, const TracedValues& traced) {
  auto in = traced.rank(n->input(0)), out = traced.rank(n->output());
  if (in != out || !in) return false;
  return isOneOf(kKeepSizes, n) ||
         (isOneOf(kKeepAllButTheLast, n) && static_cast<std::int64_t>(dim) + 1 < *in);
}

// One step back; the same dimension where its operator decides the size.
Dimension before(Dimension d, const TracedValues& traced) {
  auto* n = d.first->node();
  auto* out = traced.find(d.first);
  if (!out || d.second >= out->shape.size()) return d;
  if (auto cut = beforeCut(d, traced)) return *cut;
  if (n->kind() == aten::embedding && d.second + 1 < out->shape.size()) return {n->input(1), d.second};
  if (n->kind() == aten::reshape || n->kind() == aten::view) {
    auto* list = n->input(1)->node();
    if (list->kind() != jit::prim::ListConstruct || d.second >= list->inputs().size()) return d;
    auto measured = measuredBy(list->input(d.second), traced);
    return measured.first ? measured : d;
  }
  if (n->outputs().size() == 1 && !n->inputs().empty() && hasSizeOfFirst(n, d.second, traced))
    return {n->input(0), d.second};
  for (auto& need : rowNeeds(n, d.second, traced).value_or(std::vector<RowNeed>())) {
    auto* in = traced.find(n->input(need.operand));
    if (need.dim && in && in->shape[*need.dim] == out->shape[d.second])
      return {n->input(need.operand), *need.dim};
  }
  return d;
}

}  // namespace

Dimension sourceOf(Dimension d, const TracedValues& traced) {
  for (int i = 0; i < kLongestChain; ++i) {
    auto next = before(d, traced);
    if (next == d) break;
    d = next;
  }
  return d;
}

Dimension measuredBy(const Value* number, const TracedValues& traced) {
  auto* n = number->node();
  auto rank = n->kind() == aten::size && n->inputs().size() == 2 ? traced.rank(n->input(0)) : std::nullopt;
  auto dim = rank ? dimensionAt(n->input(1), static_cast<std::size_t>(*rank)) : std::nullopt;
  if (dim) return {n->input(0), *dim};
  // a, b, c = x.size()
  auto* all = n->kind() == jit::prim::ListUnpack ? n->input(0)->node() : nullptr;
  if (all && all->kind() == aten::size && all->inputs().size() == 1) return {all->input(0), number->offset()};
  return {nullptr, 0};
}

}  // namespace kadvise::graph

#include "analyzer/graph/settled.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/shape_table.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

bool isNumber(const Value* v) {
  auto kind = v->type()->kind();
  return kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
         kind == c10::TypeKind::BoolType;
}

// Arguments by which a size, a place or a factor changes, and neither rank nor dtype. Not the keepdim of a
// sum, not the start_dim of flatten, not a dtype.
constexpr std::string_view kHarmless[] = {
    "dim",    "dim0",           "dim1",      "index",  "start",      "end",      "step",   "length",
    "size",   "other",          "alpha",     "beta",   "value",      "exponent", "min",    "max",
    "eps",    "scale",          "diagonal",  "chunks", "split_size", "repeats",  "source", "destination",
    "shifts", "negative_slope", "threshold", "self",   "fill_value"};

bool isHarmless(const Value* number, const c10::Argument& argument) {
  auto kind = number->type()->kind();
  return kind != c10::TypeKind::BoolType &&
         std::find(std::begin(kHarmless), std::end(kHarmless), argument.name()) != std::end(kHarmless);
}

// torch.tensor(2.5): no dimensions, and the dtype that the number's type has.
bool isTensorOfNumber(const Node* n) {
  if (n->kind() == prim::NumToTensor) return true;
  auto dtype =
      n->kind() == aten::tensor && isNumber(n->inputs()[0]) ? jit::toIValue(n->inputs()[1]) : std::nullopt;
  return dtype.has_value();
}

// Its dtype decides nothing, and its rank is what it was expanded to. (Else it may have another one than what
// is gathered from, where it is empty.)
bool isExpandedIndex(const Node* n, std::size_t i) {
  if (n->kind() != aten::gather || i != 2) return false;
  const Node* index = n->inputs()[2]->node();
  return index->kind() == aten::expand && (index->inputs()[1]->node()->kind() == prim::ListConstruct ||
                                           index->inputs()[1]->node()->kind() == prim::Constant);
}

// squeeze of the dimension that unsqueeze made, which has size 1 in every call, wherever transposes have
// moved it (the packed projection of nn.MultiheadAttention).
bool undoesUnsqueeze(Node* n, const TracedValues& traced) {
  if (n->kind() != aten::squeeze || n->inputs().size() != 2) return false;
  auto traceRank = traced.rank(n->input(0));
  if (!traceRank) return false;
  auto rank = static_cast<std::size_t>(*traceRank);
  auto gone = dimensionAt(n->input(1), rank);
  Node* made = n->input(0)->node();
  for (; gone && made->kind() == aten::transpose; made = made->input(0)->node()) {
    auto a = dimensionAt(made->input(1), rank), b = dimensionAt(made->input(2), rank);
    if (!a || !b) return false;
    if (gone == a) gone = b;
    else if (gone == b) gone = a;
  }
  return gone && made->kind() == aten::unsqueeze && gone == dimensionAt(made->input(1), rank);
}

// The answer to `x is not None` where types say it.
std::optional<bool> presenceAskedFor(Node* n) {
  if (n->kind() != aten::__isnot__ || !isNone(n->input(1))) return std::nullopt;
  if (isNone(n->input(0))) return false;
  return isTensor(n->inputs()[0]) ? std::optional(true) : std::nullopt;
}

}  // namespace

Settled::Settled(jit::Graph& graph, const TracedValues& traced) : traced_(traced) {
  known_.insert(graph.inputs()[0]);  // the module
  for (auto* in : graph.inputs())
    if (checkOf(in, traced)) known_.insert(in);
  forEachNode(graph.block(), [&](Node* n) { visit(n); });
}

const TracedValue* Settled::tensor(const Value* v) const {
  auto* t = known_.count(v) ? traced_.find(v) : nullptr;
  return t && t->kind == "tensor" ? t : nullptr;
}

// A number that nobody knows matters where it chooses one of several tensors, or where rank or dtype hang on
// it.
bool Settled::isSettledBy(const Node* n, std::size_t i) const {
  const Value* in = n->inputs()[i];
  if (known_.count(in)) return true;
  if (isExpandedIndex(n, i)) return true;
  if (!isNumber(in)) return false;
  if (n->kind() == prim::ListConstruct) return true;
  if (n->kind() == aten::__getitem__) return n->inputs()[0]->node()->kind() != prim::ListConstruct;
  auto* schema = n->maybeSchema();
  return schema && i < schema->arguments().size() && isHarmless(in, schema->arguments()[i]);
}

void Settled::visit(Node* n) {
  bool parameter = n->kind() == prim::GetAttr && attributePath(n->output());
  bool ofParameter = n->kind() == aten::squeeze && attributePath(n->input(0));  // whose sizes do not change
  if (isTensorOfNumber(n)) known_.insert(n->output());
  if (n->kind() == prim::If && known_.count(n->input())) return visitDecided(n);
  for (auto* out : n->outputs())  // a table is like what it stands for
    if (Value* computed = computedBehind(out); computed && known_.count(computed)) known_.insert(out);
  bool certain = (n->kind() == prim::unchecked_cast && isTensor(n->input())) ||  // was no optional before
                 undoesUnsqueeze(n, traced_);
  // Then the trace of one call proves nothing about the next.
  if (has(n, OperatorTrait::RankFromData) && !parameter && !ofParameter && !certain) return;
  for (std::size_t i = 0; i < n->inputs().size(); ++i)
    if (!isSettledBy(n, i)) return;
  for (auto* out : n->outputs())
    if (!isNumber(out) || isKnownNumber(n)) known_.insert(out);
}

// A branch that every call takes: what replacements ask about their parameters.
void Settled::visitDecided(Node* n) {
  auto taken = presenceAskedFor(n->input()->node());
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    auto isKnown = [&](jit::Block* b) { return known_.count(b->outputs()[i]) != 0; };
    bool known = taken ? isKnown(n->blocks()[*taken ? 0 : 1])
                       : std::all_of(n->blocks().begin(), n->blocks().end(), isKnown);
    if (known) known_.insert(n->output(i));
  }
}

// Of a number the value has to be known. Sizes, and what is read from tensors and lists, another call may
// change.
bool Settled::isKnownNumber(const Node* n) const {
  if (has(n, OperatorTrait::SaysRankOrDtype)) return true;
  return std::all_of(n->inputs().begin(), n->inputs().end(),
                     [&](auto* in) { return isNumber(in) && known_.count(in); });
}

}  // namespace kadvise::graph

#include "analyzer/graph/sizes_of_makers.h"

#include <algorithm>
#include <string_view>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/settled.h"
#include "analyzer/graph/shape_table.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

constexpr int kMostSteps = 32;   // from a tensor to what it is made of
constexpr int kMostRounds = 16;  // each frees what only the round before still asked

// The result has the shape of the first operand.
constexpr std::string_view kSameShape[] = {
    "aten::triu",  "aten::tril",    "aten::neg",        "aten::logical_not", "aten::bitwise_not",
    "aten::to",    "aten::detach",  "aten::contiguous", "aten::clone",       "aten::alias",
    "aten::float", "aten::type_as", "aten::zeros_like", "aten::ones_like",   "aten::full_like"};
// The result has the shape that the operands that are tensors have together.
constexpr std::string_view kBroadcast[] = {
    "aten::add",         "aten::sub",        "aten::mul",         "aten::div",         "aten::rsub",
    "aten::le",          "aten::lt",         "aten::ge",          "aten::gt",          "aten::eq",
    "aten::ne",          "aten::__and__",    "aten::__or__",      "aten::logical_and", "aten::logical_or",
    "aten::bitwise_and", "aten::bitwise_or", "aten::masked_fill", "aten::where"};
// The operand is the list of sizes.
constexpr std::string_view kFromList[] = {"aten::full", "aten::zeros", "aten::ones", "aten::empty"};
constexpr std::string_view kToList[] = {"aten::expand", "aten::reshape", "aten::view", "aten::broadcast_to"};

// Whether a value may be read where a node stands.
bool isInScope(const Value* v, const Node* at) {
  for (const jit::Block* b = at->owningBlock(); b;
       b = b->owningNode() ? b->owningNode()->owningBlock() : nullptr)
    if (v->node()->owningBlock() == b) return true;
  return false;
}

bool isMeasuring(const Node* n) { return n->kind() == aten::size || n->kind() == aten::dim; }

bool isOnlyMeasured(const Value* v) {
  return std::all_of(v->uses().begin(), v->uses().end(), [](auto& use) { return isMeasuring(use.user); });
}

// An element that is a size: not the -1 that stands for "as it is" or "what is left".
Value* sizeInList(Value* list, std::int64_t at) {
  Node* n = list->node();
  if (n->kind() != jit::prim::ListConstruct || at < 0 || at >= static_cast<std::int64_t>(n->inputs().size()))
    return nullptr;
  Value* element = n->input(static_cast<std::size_t>(at));
  auto constant = constantInt(element);
  bool isSize = constant ? *constant >= 0 : element->node()->kind() == aten::size;
  return isSize ? element : nullptr;
}

class Sizes {
 public:
  Sizes(jit::Graph& graph, const Settled& settled, const Aliases& aliases)
      : graph_(graph), settled_(settled), aliases_(aliases) {}

  // The size of a dimension from what the tensor is made of; nullptr where nothing is gained. New nodes stand
  // at the insert point. Of what cannot be read there, nullptr also on the way.
  Value* of(Value* v, std::int64_t d, int steps = 0) {
    Value* found = steps < kMostSteps ? fromMaker(v, d, steps) : nullptr;
    if (found && !isInScope(found, graph_.insertPoint())) found = nullptr;
    if (found || steps == 0 || !isInScope(v, graph_.insertPoint())) return found;
    return graph_.insert(aten::size, {v, d});
  }

 private:
  std::optional<std::int64_t> rank(Value* v) const {
    auto* t = settled_.tensor(v);
    return t ? std::optional(static_cast<std::int64_t>(t->shape.size())) : std::nullopt;
  }
  // A constant operand that names a dimension, counted from the front.
  std::optional<std::int64_t> dimension(Value* operand, std::optional<std::int64_t> rank) const {
    auto d = constantInt(operand);
    if (!d || *d >= 0) return d;
    return rank ? std::optional(*d + *rank) : std::nullopt;
  }

  Value* fromMaker(Value* v, std::int64_t d, int steps) {
    Node* n = v->node();
    auto all = rank(v);
    if ((d < 0 && !all) || aliases_.hasWriters(v)) return nullptr;  // who writes may change the shape
    if (d < 0) d += *all;
    if (Value* computed = computedBehind(v)) return of(computed, d, steps + 1);
    if (n->inputs().empty() || n->outputs().size() != 1) return nullptr;
    if (isOneOf(kSameShape, n)) return of(n->input(0), d, steps + 1);
    if (isOneOf(kFromList, n)) return sizeInList(n->input(0), d);
    if (isOneOf(kToList, n)) return sizeInList(n->input(1), d);
    if (isOneOf(kBroadcast, n)) return ofBroadcast(n, d, steps);
    if (n->kind() == aten::transpose) return ofTransposed(n, d, steps);
    if (n->kind() == aten::unsqueeze) return ofUnsqueezed(n, d, all, steps);
    if (n->kind() == aten::repeat_interleave && n->inputs().size() == 4) return ofRepeated(n, d, all, steps);
    return nullptr;
  }

  Value* ofRepeated(Node* n, std::int64_t d, std::optional<std::int64_t> all, int steps) {
    auto along = dimension(n->input(2), all);
    if (!along || isTensor(n->input(1))) return nullptr;
    Value* each = of(n->input(0), d, steps + 1);
    bool isMany = each && d == *along;
    return isMany ? graph_.insert(aten::mul, {each, n->input(1)}) : each;
  }

  Value* ofTransposed(Node* n, std::int64_t d, int steps) {
    auto a = dimension(n->input(1), rank(n->output())), b = dimension(n->input(2), rank(n->output()));
    if (!a || !b) return nullptr;
    return of(n->input(0), d == *a ? *b : d == *b ? *a : d, steps + 1);
  }

  Value* ofUnsqueezed(Node* n, std::int64_t d, std::optional<std::int64_t> all, int steps) {
    auto at = dimension(n->input(1), all);
    if (!at) return nullptr;
    if (d == *at) return graph_.insertConstant(std::int64_t{1});
    return of(n->input(0), d < *at ? d : d - 1, steps + 1);
  }

  // Dimensions count from the back; a size of 1 gives way to the other one.
  Value* ofBroadcast(Node* n, std::int64_t d, int steps) {
    auto all = rank(n->output());
    if (!all) return nullptr;
    Value* size = nullptr;
    for (Value* in : n->inputs()) {
      if (!isTensor(in)) continue;
      auto own = rank(in);
      if (!own) return nullptr;
      if (d < *all - *own) continue;
      Value* one = of(in, d - (*all - *own), steps + 1);
      if (!one) return nullptr;
      size = size ? larger(size, one) : one;
    }
    return size;
  }

  Value* larger(Value* a, Value* b) {
    auto known = constantInt(a);
    if (known == 1) return b;
    if (known || constantInt(b) == 1) return a;
    Value* isOne = graph_.insert(aten::eq, {a, std::int64_t{1}});
    Node* choice = graph_.insertNode(graph_.create(jit::prim::If, {isOne}, 1));
    choice->addBlock()->registerOutput(b);
    choice->addBlock()->registerOutput(a);
    return choice->output()->setType(c10::IntType::get());
  }

  jit::Graph& graph_;
  const Settled& settled_;
  const Aliases& aliases_;
};

bool askOnce(const std::shared_ptr<jit::Graph>& graph, const TracedValues& traced) {
  Settled settled(*graph, traced);
  auto aliases = aliasesOf(graph);
  bool any = false;
  forEachNode(graph->block(), [&](Node* n) {
    auto d = n->kind() == aten::size && n->inputs().size() == 2 ? constantInt(n->input(1)) : std::nullopt;
    if (!d || (!isMade(n) && !isOnlyMeasured(n->input(0)))) return;
    jit::WithInsertPoint here(n);
    Value* size = Sizes(*graph, settled, *aliases).of(n->input(0), *d);
    if (!size) return;
    n->output()->replaceAllUsesWith(size);
    any = true;
  });
  jit::EliminateDeadCode(graph);
  return any;
}

}  // namespace

void askMakersForSizes(const std::shared_ptr<jit::Graph>& graph, const TracedValues& traced) {
  for (int round = 0; round < kMostRounds && askOnce(graph, traced); ++round) continue;
  graph->lint();
}

}  // namespace kadvise::graph

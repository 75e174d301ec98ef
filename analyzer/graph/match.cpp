#include "analyzer/graph/match.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
using Bound = std::unordered_map<const Value*, Value*>;

constexpr int kMostSteps = 20000;  // a pattern of 30 nodes takes about 100

// Operators whose first two operands may change places. add and sub carry a factor: see swappable().
constexpr const char* kCommutative[] = {"aten::add", "aten::mul", "aten::eq", "aten::ne", "aten::maximum", "aten::minimum",
                                        "aten::logical_and", "aten::logical_or", "aten::bitwise_and", "aten::bitwise_or"};

bool swappable(const Node* n) {
  const char* name = n->kind().toQualString();
  bool listed = std::any_of(std::begin(kCommutative), std::end(kCommutative),
                            [&](const char* k) { return std::string_view(k) == name; });
  if (!listed || n->inputs().size() < 2) return false;
  // add(a, b, alpha) is a + alpha * b.
  return n->kind() != jit::aten::add || n->inputs().size() < 3 || constantInt(const_cast<Node*>(n)->input(2)) == 1;
}

// transpose(x, 1, 2) is transpose(x, 2, 1).
bool swappableDims(const Node* n) { return n->kind() == jit::aten::transpose && n->inputs().size() == 3; }

bool isDimension(const Node* n, std::size_t input) {
  auto* schema = n->maybeSchema();
  if (!schema || input >= schema->arguments().size()) return false;
  auto& name = schema->arguments()[input].name();
  return name == "dim" || name == "dim0" || name == "dim1";
}

// Two constants that mean the same dimension of x.
bool sameDimension(const c10::IValue& a, const c10::IValue& b, std::int64_t rank) {
  if (a.isInt() && b.isInt()) return (a.toInt() + rank) % rank == (b.toInt() + rank) % rank;
  if (!a.isIntList() || !b.isIntList()) return false;
  auto x = a.toIntVector(), y = b.toIntVector();
  return x.size() == y.size() && std::equal(x.begin(), x.end(), y.begin(), [&](auto p, auto q) {
           return (p + rank) % rank == (q + rank) % rank;
         });
}

std::string show(const c10::IValue& v) {
  std::ostringstream out;
  if (v.isTensor()) return "a constant tensor";
  out << v;
  return out.str();
}

struct Matcher {
  const TracedValues& traced;
  NearMiss& near;
  Node* anchor;
  int stepsLeft = kMostSteps;

  bool no(const Bound& bound, const std::string& at, const std::string& reason) const {
    if (!near.anchor || bound.size() > near.depth) near = {bound.size(), {at, reason}, anchor};
    return false;
  }

  bool bindParameter(const Value* p, Value* t, Bound& bound) const {
    if (!t->type()->isSubtypeOf(*p->type()))
      return no(bound, "%" + p->debugName(), "is " + t->type()->str() + ", the rule wants " + p->type()->str());
    bound[p] = t;
    return true;
  }

  // A value met again: the same one, an equal constant, or the same parameter. Equal computations have been merged
  // where nothing is written between them; where they have not, they may differ.
  bool sameAsBefore(Value* a, Value* b) const {
    if (a == b) return true;
    auto x = jit::toIValue(a), y = jit::toIValue(b);
    if (x && y) return sameConstant(*x, *y);
    return attributePath(a) && attributePath(a) == attributePath(b);
  }

  bool constant(const Value* p, Value* t, Bound& bound, std::optional<std::int64_t> rank) const {
    auto want = jit::toIValue(p), have = jit::toIValue(t);
    if (!have) return no(bound, "%" + t->debugName(), "is computed, the rule wants the constant " + show(*want));
    if (!sameConstant(*want, *have) && !(rank && *rank > 0 && sameDimension(*want, *have, *rank)))
      return no(bound, "%" + t->debugName(), "is " + show(*have) + ", the rule wants " + show(*want));
    bound[p] = t;
    return true;
  }

  bool inputs(const Node* p, Node* t, Bound& bound, std::size_t swapFrom) {
    auto rank = t->inputs().empty() ? std::nullopt : traced.rank(t->input(0));
    for (std::size_t i = 0; i < p->inputs().size(); ++i) {
      bool swapped = swapFrom != std::string::npos && (i == swapFrom || i == swapFrom + 1);
      std::size_t from = swapped ? 2 * swapFrom + 1 - i : i;
      if (!value(p->inputs()[i], t->inputs()[from], bound, isDimension(p, i) ? rank : std::nullopt)) return false;
    }
    return true;
  }

  bool attempt(const Node* p, Node* t, const Value* out, Value* target, Bound& bound, std::size_t swapFrom) {
    Bound trial = bound;
    trial[out] = target;
    if (!inputs(p, t, trial, swapFrom)) return false;
    bound = std::move(trial);
    return true;
  }

  bool value(const Value* p, Value* t, Bound& bound, std::optional<std::int64_t> rank = std::nullopt) {
    if (--stepsLeft <= 0) return no(bound, "%" + t->debugName(), "the search was given up after its limit of steps");
    // First, since a pattern's one constant -1 may stand for 3 in one place and for -1 in another.
    if (p->node()->kind() == jit::prim::Constant) return constant(p, t, bound, rank);
    if (auto it = bound.find(p); it != bound.end())
      return sameAsBefore(it->second, t) || no(bound, "%" + t->debugName(), "differs from %" + it->second->debugName() + ", the rule wants one value in both places");
    Node *pn = const_cast<Node*>(p->node()), *tn = t->node();
    if (pn->kind() == jit::prim::Param) return bindParameter(p, t, bound);
    if (pn->kind() != tn->kind())
      return no(bound, "%" + t->debugName(), std::string("is made by ") + tn->kind().toQualString() + ", the rule wants " + pn->kind().toQualString());
    if (p->offset() != t->offset() || pn->inputs().size() != tn->inputs().size() || pn->outputs().size() != tn->outputs().size())
      return no(bound, "%" + t->debugName(), std::string("another form of ") + pn->kind().toQualString());
    auto *ps = pn->maybeSchema(), *ts = tn->maybeSchema();
    if (ps && ts && ps->overload_name() != ts->overload_name())
      return no(bound, "%" + t->debugName(), std::string(tn->kind().toQualString()) + "." + ts->overload_name() + ", the rule wants ." + ps->overload_name());
    if (attempt(pn, tn, p, t, bound, std::string::npos)) return true;
    if (swappable(pn) && swappable(tn)) return attempt(pn, tn, p, t, bound, 0);
    if (swappableDims(pn)) return attempt(pn, tn, p, t, bound, 1);
    return false;
  }
};

}  // namespace

std::optional<Match> matchAt(const Pattern& pattern, Node* anchor, const TracedValues& traced, NearMiss& near) {
  Value* first = pattern.graph->outputs()[0];
  if (anchor->kind() != first->node()->kind() || first->offset() >= anchor->outputs().size()) return std::nullopt;
  Matcher matcher{traced, near, anchor};
  Match match;
  if (!matcher.value(first, anchor->outputs()[first->offset()], match.bound)) return std::nullopt;

  std::set<Node*> nodes;
  for (auto& [p, t] : match.bound)
    if (p->node()->kind() != jit::prim::Param && p->node()->kind() != jit::prim::Constant) nodes.insert(t->node());
  match.nodes.assign(nodes.begin(), nodes.end());
  bool oneBlock = std::all_of(nodes.begin(), nodes.end(), [&](Node* n) { return n->owningBlock() == anchor->owningBlock(); });
  if (!oneBlock) {
    matcher.no(match.bound, "the region", "crosses an if or a loop");
    return std::nullopt;
  }
  std::sort(match.nodes.begin(), match.nodes.end(), [](Node* a, Node* b) { return a->isBefore(b); });
  match.anchor = anchor;
  return match;
}

}  // namespace kadvise::graph

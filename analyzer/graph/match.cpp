#include "analyzer/graph/match.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
constexpr int kMostSteps = 20000;  // of one anchor; a pattern of 30 nodes takes about 100

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

// Hands on the value of its input; only strides or storage differ. A replacement chooses those anew, and whyUnsafe()
// looks for anybody who would notice.
bool isTransparent(const Node* n) {
  auto k = n->kind();
  return k == jit::aten::contiguous || k == jit::aten::clone || k == jit::aten::detach || k == jit::aten::alias;
}

Value* seeThrough(Value* v) {
  while (isTransparent(v->node())) v = v->node()->input(0);
  return v;
}

// A pattern value that must be found to be a module value. rank: of the tensor whose dimension the value is.
struct Goal {
  const Value* pattern;
  Value* target;
  std::optional<std::int64_t> rank;
};

// Depth first with full backtracking: an operand order that fits here may be the wrong one further on. State grows at
// its ends only, so that undoing is cutting it back.
struct Matcher {
  const TracedValues& traced;
  NearMiss& near;
  Node* anchor;
  std::vector<Value*> bound;        // by the pattern value's unique number
  std::vector<const Value*> trail;  // in the order of binding
  std::vector<Node*> skipped;       // transparent nodes between matched ones
  std::vector<Goal> goals;
  int stepsLeft = kMostSteps;

  bool no(const std::string& at, const std::string& reason) const {
    if (!near.anchor || trail.size() > near.depth) near = {trail.size(), {at, reason}, anchor};
    return false;
  }
  static std::string name(const Value* v) { return "%" + v->debugName(); }

  Value*& slot(const Value* p) { return bound[p->unique()]; }
  void bind(const Value* p, Value* t) { slot(p) = t, trail.push_back(p); }

  struct Mark {
    std::size_t trail, skipped, goals;
  };
  Mark mark() const { return {trail.size(), skipped.size(), goals.size()}; }
  void undo(const Mark& m) {
    for (; trail.size() > m.trail; trail.pop_back()) slot(trail.back()) = nullptr;
    skipped.resize(m.skipped);
    goals.resize(m.goals);
  }

  // Solves the goals from the given one on.
  bool solve(std::size_t next) {
    if (next == goals.size()) return true;
    if (--stepsLeft <= 0) return no(name(goals[next].target), "the search was given up after its limit of steps");
    Goal goal = goals[next];
    Mark start = mark();
    if (reach(goal, next)) return true;
    undo(start);
    // The same value under another layout.
    if (!isTransparent(goal.target->node()) || goal.pattern->node()->kind() == jit::prim::Constant) return false;
    skipped.push_back(goal.target->node());
    goals[next].target = goal.target->node()->input(0);
    if (solve(next)) return true;
    undo(start);
    goals[next] = goal;
    return false;
  }

  bool reach(const Goal& goal, std::size_t next) {
    auto* pn = const_cast<Node*>(goal.pattern->node());
    // First, since a pattern's one constant -1 may stand for 3 in one place and for -1 in another.
    if (pn->kind() == jit::prim::Constant) return constant(goal) && solve(next + 1);
    if (Value* before = slot(goal.pattern)) return same(before, goal.target) && solve(next + 1);
    if (pn->kind() == jit::prim::Param) return parameter(goal.pattern, goal.target) && solve(next + 1);
    Node* tn = goal.target->node();
    if (pn->kind() == jit::prim::dtype && tn->kind() == jit::prim::Constant) return dtype(goal, next);
    if (!sameOperator(goal.pattern, goal.target)) return false;
    if (expand(goal, next, kInOrder)) return true;
    if (swappable(pn) && swappable(tn)) return expand(goal, next, 0);
    return swappableDims(pn) && expand(goal, next, 1);
  }

  // `x.dtype` of a pattern, where the module has the number that the run settled. x may be bound by a later goal.
  bool dtype(const Goal& goal, std::size_t next) {
    Value* x = slot(goal.pattern->node()->input());
    if (!x && next + 1 < goals.size()) {
      goals.push_back(goal);
      return solve(next + 1);
    }
    auto* t = x ? traced.find(x) : nullptr;
    if (!t || constantInt(goal.target) != static_cast<std::int64_t>(t->dtype))
      return no(name(goal.target), "is another dtype than the rule wants");
    return solve(next + 1);
  }

  static constexpr std::size_t kInOrder = std::string::npos;

  // The inputs of the pattern's node become goals, the two from swapFrom on in the other order.
  bool expand(const Goal& goal, std::size_t next, std::size_t swapFrom) {
    const Node* p = goal.pattern->node();
    Node* t = goal.target->node();
    Mark start = mark();
    bind(goal.pattern, goal.target);
    auto rank = t->inputs().empty() ? std::nullopt : traced.rank(t->input(0));
    for (std::size_t i = 0; i < p->inputs().size(); ++i) {
      bool swapped = swapFrom != kInOrder && (i == swapFrom || i == swapFrom + 1);
      Value* target = t->inputs()[swapped ? 2 * swapFrom + 1 - i : i];
      goals.push_back({p->inputs()[i], target, isDimension(p, i) ? rank : std::nullopt});
    }
    if (solve(next + 1)) return true;
    undo(start);
    return false;
  }

  bool sameOperator(const Value* p, Value* t) const {
    auto *pn = const_cast<Node*>(p->node()), *tn = t->node();
    if (pn->kind() != tn->kind())
      return no(name(t), std::string("is made by ") + tn->kind().toQualString() + ", the rule wants " + pn->kind().toQualString());
    if (p->offset() != t->offset() || pn->inputs().size() != tn->inputs().size() || pn->outputs().size() != tn->outputs().size())
      return no(name(t), std::string("is made by another form of ") + pn->kind().toQualString());
    auto *ps = pn->maybeSchema(), *ts = tn->maybeSchema();
    if (ps && ts && ps->overload_name() != ts->overload_name())
      return no(name(t), std::string("is made by ") + tn->kind().toQualString() + "." + ts->overload_name() + ", the rule wants ." + ps->overload_name());
    return true;
  }

  bool parameter(const Value* p, Value* t) {
    bool number = p->type()->kind() == c10::TypeKind::FloatType && constantInt(t);  // `x / 8` for `c: float`
    if (!number && !t->type()->isSubtypeOf(*p->type()))
      return no(name(t), "is " + t->type()->str() + ", the rule wants " + p->type()->str() + " for " + p->debugName());
    bind(p, t);
    return true;
  }

  // A value met again: the same one, an equal constant, or the same parameter. Equal computations have been merged
  // where nothing is written between them; where they have not, they may differ.
  bool same(Value* before, Value* t) {
    if (seeThrough(before) == seeThrough(t)) {
      for (Value* v = t; v != before && isTransparent(v->node()); v = v->node()->input(0)) skipped.push_back(v->node());
      return true;
    }
    auto x = jit::toIValue(before), y = jit::toIValue(t);
    if (x && y && sameConstant(*x, *y)) return true;
    if (attributePath(before) && attributePath(before) == attributePath(t)) return true;
    return no(name(t), "differs from " + name(before) + ", the rule wants one value in both places");
  }

  bool constant(const Goal& goal) const {
    auto want = jit::toIValue(goal.pattern), have = jit::toIValue(goal.target);
    if (!have) return no(name(goal.target), "is computed, the rule wants the constant " + show(*want));
    bool sameDim = goal.rank && *goal.rank > 0 && sameDimension(*want, *have, *goal.rank);
    return sameConstant(*want, *have) || sameDim || no(name(goal.target), "is " + show(*have) + ", the rule wants " + show(*want));
  }
};

bool isComputed(const Value* p) { return p->node()->kind() != jit::prim::Param && p->node()->kind() != jit::prim::Constant; }

// Parameters that the variant decides, and numbers of the type that the pattern declares, become constants of the
// module's graph. They stand at its start and cost nothing.
void bindDecided(const Pattern& pattern, jit::Graph& graph, Match& match) {
  for (std::size_t i = 0; i < pattern.parameters.size(); ++i) {
    auto* p = pattern.graph->inputs()[i];
    if (pattern.fixed[i]) {
      match.bound[p] = constantOf(graph, *pattern.fixed[i]);
      continue;
    }
    auto number = constantInt(match.at(p));
    if (number && p->type()->kind() == c10::TypeKind::FloatType) match.bound[p] = constantOf(graph, static_cast<double>(*number));
  }
}

}  // namespace

std::optional<Match> matchAt(const Pattern& pattern, Node* anchor, const TracedValues& traced, NearMiss& near) {
  if (anchor->kind() != pattern.graph->outputs()[0]->node()->kind()) return std::nullopt;  // almost always
  return matchAt(pattern, std::vector<Node*>{anchor}, traced, near);
}

std::optional<Match> matchAt(const Pattern& pattern, const std::vector<Node*>& roots, const TracedValues& traced, NearMiss& near) {
  Node* anchor = roots[0];
  Matcher matcher{traced, near, anchor, std::vector<Value*>(pattern.valueLimit), {}, {}, {}};
  for (std::size_t i = 0; i < roots.size(); ++i) {
    Value* output = pattern.graph->outputs()[i];
    if (output->offset() >= roots[i]->outputs().size()) return std::nullopt;
    matcher.goals.push_back({output, roots[i]->outputs()[output->offset()], std::nullopt});
  }
  if (!matcher.solve(0)) return std::nullopt;

  Match match;
  std::set<Node*> nodes(matcher.skipped.begin(), matcher.skipped.end());
  for (auto* p : matcher.trail) {
    match.bound[p] = matcher.slot(p);
    if (isComputed(p)) nodes.insert(matcher.slot(p)->node());
  }
  match.nodes.assign(nodes.begin(), nodes.end());
  bool oneBlock = std::all_of(nodes.begin(), nodes.end(), [&](Node* n) { return n->owningBlock() == anchor->owningBlock(); });
  if (!oneBlock) {
    matcher.no("the region", "crosses an if or a loop");
    return std::nullopt;
  }
  std::sort(match.nodes.begin(), match.nodes.end(), [](Node* a, Node* b) { return a->isBefore(b); });
  match.anchor = anchor;
  bindDecided(pattern, *anchor->owningGraph(), match);
  return match;
}

}  // namespace kadvise::graph

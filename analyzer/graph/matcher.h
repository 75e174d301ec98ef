// The search behind match.h: a pattern's values find theirs in a module, with full backtracking.
#pragma once

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/match.h"
#include "analyzer/graph/operands.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {

using jit::Node;
using jit::Value;
inline constexpr int kMostSteps = 20000;  // of one anchor; a pattern of 30 nodes takes about 100
inline constexpr int kMostStepsNearly = 3000;

inline bool isComputed(const Value* p) {
  return p->node()->kind() != jit::prim::Param && p->node()->kind() != jit::prim::Constant;
}

// What a reader of the pattern would count as a step of it.
inline bool isOperator(const Value* p) { return isComputed(p) && !p->node()->kind().is_prim(); }
// An exchange of dimensions stands everywhere: that it is there brings no place nearer.
inline bool tellsPlaces(const Value* p) { return isOperator(p) && p->node()->kind() != jit::aten::transpose; }

// A pattern value that must be found to be a module value. rank: of the tensor whose dimension the value is.
struct Goal {
  const Value* pattern;
  Value* target;
  std::optional<std::int64_t> rank;
  Node* reader = nullptr;  // of the module: the target is this operand of it
  std::size_t operand = 0;

  std::string words() const { return reader ? operandWords(reader, operand) : valueWords(target); }
};

// Depth first with full backtracking: an operand order that fits here may be the wrong one further on. State
// grows at its ends only, so that undoing is cutting it back.
struct Matcher {
  const TracedValues& traced;
  NearMiss& near;
  Node* anchor;
  std::size_t roots;
  std::vector<Value*> bound;             // by the pattern value's unique number
  std::vector<const Value*> trail = {};  // in the order of binding
  std::vector<Node*> skipped = {};       // transparent nodes between matched ones
  std::vector<Goal> goals = {};
  std::size_t operators = 0;  // of the pattern
  int stepsLeft = kMostSteps;
  NearMatch* nearly = nullptr;          // set: looks for the nearest miss, and passes over one obstacle
  std::optional<Obstacle> passed = {};  // that one
  const Value* passedValue = nullptr;   // of the pattern, where it is an operator
  Obstacle last = {};                   // of a goal that has just failed, while nothing is passed over

  // The reason is put in words only where they may be read.
  template <class Reason>
  bool no(const Goal& goal, Node* where, Reason reason) {
    if (nearly && !passed) last = {{goal.words(), reason()}, where};
    if (nearly && passed && isNearer(2)) keep({*passed, {{goal.words(), reason()}, where}});
    if (!nearly && (!near.anchor || trail.size() > near.depth))
      near = {trail.size(), {goal.words(), reason()}, anchor};
    return false;
  }

  std::size_t matchedOperators() const {
    return static_cast<std::size_t>(std::count_if(trail.begin(), trail.end(), tellsPlaces)) -
           (passedValue ? 1 : 0);
  }
  bool isNearer(std::size_t obstacles) const {
    NearMatch now{anchor, matchedOperators(), operators, {}, {}};
    if (now.nearness() > nearly->nearness()) return true;
    return now.nearness() == nearly->nearness() && obstacles < nearly->obstacles.size();
  }
  void keep(std::vector<Obstacle> obstacles) {
    *nearly = {anchor, matchedOperators(), operators, std::move(obstacles), {}};
    for (auto* p : trail)
      if (isOperator(p) && p != passedValue) nearly->nodes.insert(slot(p)->node());
  }

  // Goes on behind a goal that has failed, as though it had not; never ends the search.
  bool passOver(const Goal& goal, std::size_t next) {
    bool layout = isTransparent(goal.target->node()) && goal.pattern->node()->kind() != jit::prim::Constant;
    if (!nearly || passed || layout) return false;
    Mark start = mark();
    passed = last;
    bool fresh = goal.pattern->node()->kind() != jit::prim::Constant && !slot(goal.pattern);
    if (fresh) bind(goal.pattern, goal.target);
    if (fresh && isOtherForm(goal)) pushOperands(goal, kInOrder, kSameTypes);
    passedValue = fresh && isOperator(goal.pattern) ? goal.pattern : nullptr;
    solve(next + 1);
    undo(start);
    passed.reset();
    passedValue = nullptr;
    return false;
  }
  bool goOn(bool fits, const Goal& goal, std::size_t next) {
    return fits ? solve(next + 1) : passOver(goal, next);
  }

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

  // Of the module: those that the pattern's nodes have found, and those between them.
  std::set<Node*> nodes() {
    std::set<Node*> all(skipped.begin(), skipped.end());
    for (auto* p : trail)
      if (isComputed(p)) all.insert(slot(p)->node());
    return all;
  }

  // Solves the goals from the given one on.
  bool solve(std::size_t next) {
    if (next == goals.size()) {
      if (passed && isNearer(1)) keep({*passed});
      return !passed;
    }
    if (--stepsLeft <= 0)
      return nearly ? false : no(goals[next], nullptr, [] {
        return "the search was given up after its limit of steps";
      });
    Goal goal = goals[next];
    Mark start = mark();
    if (reach(goal, next)) return true;
    undo(start);
    // The same value under another layout.
    if (!isTransparent(goal.target->node()) || goal.pattern->node()->kind() == jit::prim::Constant)
      return false;
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
    if (pn->kind() == jit::prim::Constant) return goOn(constant(goal), goal, next);
    if (Value* before = slot(goal.pattern)) return goOn(same(before, goal), goal, next);
    if (pn->kind() == jit::prim::Param) return goOn(parameter(goal), goal, next);
    Node* tn = goal.target->node();
    if (pn->kind() == jit::prim::dtype && tn->kind() == jit::prim::Constant) return dtype(goal, next);
    if (!sameOperator(goal)) return next >= roots && passOver(goal, next);
    if (expand(goal, next, kInOrder)) return true;
    if (swappable(pn) && swappable(tn)) return expand(goal, next, 0);
    return swappableDims(pn) && expand(goal, next, 1);
  }

  // `x.dtype` of a pattern, where the module has the number that the run settled. x may be bound by a later
  // goal.
  bool dtype(const Goal& goal, std::size_t next) {
    Value* x = slot(goal.pattern->node()->input());
    if (!x && next + 1 < goals.size()) {
      goals.push_back(goal);
      return solve(next + 1);
    }
    auto* t = x ? traced.find(x) : nullptr;
    bool fits = t && constantInt(goal.target) == static_cast<std::int64_t>(t->dtype);
    return goOn(fits || no(goal, goal.reader, [] { return "is another dtype than the rule wants"; }), goal,
                next);
  }

  static constexpr std::size_t kInOrder = std::string::npos;

  enum Types { kAllTypes, kSameTypes };

  // The inputs of the pattern's node become goals, the two from swapFrom on in the other order.
  void pushOperands(const Goal& goal, std::size_t swapFrom, Types types) {
    const Node* p = goal.pattern->node();
    Node* t = goal.target->node();
    auto rank = t->inputs().empty() ? std::nullopt : traced.rank(t->input(0));
    for (std::size_t i = 0; i < p->inputs().size(); ++i) {
      bool swapped = swapFrom != kInOrder && (i == swapFrom || i == swapFrom + 1);
      std::size_t operand = swapped ? 2 * swapFrom + 1 - i : i;
      if (types == kSameTypes && p->inputs()[i]->type()->kind() != t->inputs()[operand]->type()->kind())
        continue;
      goals.push_back(
          {p->inputs()[i], t->inputs()[operand], isDimension(p, i) ? rank : std::nullopt, t, operand});
    }
  }

  // add.Scalar where the rule wants add.Tensor: the other operands may be compared.
  static bool isOtherForm(const Goal& goal) {
    const Node *p = goal.pattern->node(), *t = goal.target->node();
    return p->kind() == t->kind() && isOperator(goal.pattern) && p->inputs().size() == t->inputs().size() &&
           goal.pattern->offset() == goal.target->offset();
  }

  bool expand(const Goal& goal, std::size_t next, std::size_t swapFrom) {
    Mark start = mark();
    bind(goal.pattern, goal.target);
    pushOperands(goal, swapFrom, kAllTypes);
    if (solve(next + 1)) return true;
    undo(start);
    return false;
  }

  bool sameOperator(const Goal& goal) {
    auto *pn = const_cast<Node*>(goal.pattern->node()), *tn = goal.target->node();
    auto no = [&](auto reason) {
      return this->no(goal, tn->kind() == jit::prim::Param ? goal.reader : tn, reason);
    };
    if (pn->kind() != tn->kind())
      return no([&] {
        return "is made by " + makerWords(goal.target) + ", the rule wants " + makerWords(goal.pattern);
      });
    if (goal.pattern->offset() != goal.target->offset())
      return no(
          [&] { return "is another of the results of " + makerWords(goal.target) + " than the rule wants"; });
    if (pn->inputs().size() != tn->inputs().size() || pn->outputs().size() != tn->outputs().size())
      return no([&] { return "is made by another form of " + makerWords(goal.pattern); });
    auto *ps = pn->maybeSchema(), *ts = tn->maybeSchema();
    if (ps && ts && ps->overload_name() != ts->overload_name())
      return no([&] { return otherFormWords(pn, tn); });
    return true;
  }

  bool parameter(const Goal& goal) {
    const Value* p = goal.pattern;
    Value* t = goal.target;
    bool number = p->type()->kind() == c10::TypeKind::FloatType && constantInt(t);  // `x / 8` for `c: float`
    if (!number && !t->type()->isSubtypeOf(*p->type()))
      return no(goal, goal.reader, [&] {
        return "is " + t->type()->str() + ", the rule wants " + p->type()->str() + " for " + p->debugName();
      });
    bind(p, t);
    return true;
  }

  // A value met again: the same one, an equal constant, or the same parameter. Equal computations have been
  // merged where nothing is written between them; where they have not, they may differ.
  bool same(Value* before, const Goal& goal) {
    Value* t = goal.target;
    if (seeThrough(before) == seeThrough(t)) {
      for (Value* v = t; v != before && isTransparent(v->node()); v = v->node()->input(0))
        skipped.push_back(v->node());
      return true;
    }
    auto x = jit::toIValue(before), y = jit::toIValue(t);
    if (x && y && sameConstant(*x, *y)) return true;
    if (attributePath(before) && attributePath(before) == attributePath(t) && !isAssigned(t)) return true;
    return no(goal, goal.reader, [&] {
      return "is " + valueWords(t) + " and not " + valueWords(before) +
             " as elsewhere; the rule wants one value in both places";
    });
  }

  bool constant(const Goal& goal) {
    auto want = jit::toIValue(goal.pattern), have = jit::toIValue(goal.target);
    auto words = [&](const c10::IValue& v) { return constantWords(v, goal.reader, goal.operand); };
    if (!have)
      return no(goal, goal.reader, [&] {
        return "is " + valueWords(goal.target) + "; the rule wants the constant " + words(*want);
      });
    bool sameDim = goal.rank && *goal.rank > 0 && sameDimension(*want, *have, *goal.rank);
    return sameConstant(*want, *have) || sameDim ||
           no(goal, goal.reader, [&] { return "is " + words(*have) + ", the rule wants " + words(*want); });
  }
};

}  // namespace kadvise::graph

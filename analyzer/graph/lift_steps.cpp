#include "analyzer/graph/lift_steps.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/value_words.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

bool isCast(const Node* n) { return n->kind() == aten::to || n->kind() == aten::contiguous; }

bool allSame(const Steps& steps) {
  auto first = jit::toIValue(steps[0]);
  return std::all_of(steps.begin(), steps.end(), [&](Value* v) {
    auto constant = jit::toIValue(v);
    return v == steps[0] || (first && constant && sameConstant(*first, *constant));
  });
}

Steps inputsAt(const Steps& steps, std::size_t i) {
  Steps out;
  for (auto* v : steps) out.push_back(v->node()->input(i));
  return out;
}

bool sameOperator(const Node* a, const Node* b) {
  auto *x = a->maybeSchema(), *y = b->maybeSchema();
  return a->kind() == b->kind() && a->inputs().size() == b->inputs().size() &&
         a->owningBlock() == b->owningBlock() && x && y && x->overload_name() == y->overload_name();
}

// "" where each step's value is made by an operator of its own, all of one kind.
std::string whyNotAlike(const Steps& steps) {
  Node* first = steps[0]->node();
  for (auto* v : steps) {
    Node* n = v->node();
    if (!first->maybeSchema() || n->outputs().size() != 1) return valueWords(v) + " is not made in a step";
    if (n->kind() != first->kind())
      return "the steps are not alike: one makes " + makerWords(steps[0]) + ", another " + makerWords(v);
    if (!sameOperator(first, n)) return "the steps are not alike: " + makerWords(v) + " is in two forms";
    if (v != steps[0] && n == first) return "a step is joined twice: " + valueWords(v);
  }
  return "";
}

// "the second operand of aten::add, the input row,"
std::string operandAt(const Node* reader, std::size_t i) {
  auto words = operandWords(reader, i) + ", " + valueWords(reader->inputs()[i]);
  return words.back() == ',' ? words : words + ",";
}

}  // namespace

bool StepLifter::no(const std::string& why) {
  if (why_.empty()) why_ = why;
  return false;
}

bool StepLifter::follow(const Steps& steps) {
  if (auto known = followed_.find(steps[0]); known != followed_.end())
    return known->second == steps || no("the steps read each other's values");
  if (auto why = whyNotAlike(steps); !why.empty()) return no(why);
  bool part = steps[0]->node()->kind() == aten::select || steps[0]->node()->kind() == aten::slice;
  if (!(part ? leaf(steps) : operands(steps))) return false;
  for (auto* v : steps) nodes_.insert(v->node());
  followed_[steps[0]] = steps;
  return true;
}

// select(x, d, 0), select(x, d, 1), ..., or slices that follow each other.
std::optional<StepLifter::Leaf> StepLifter::partsOf(const Steps& steps) {
  Node* first = steps[0]->node();
  bool keeps = first->kind() == aten::slice;
  Leaf out{first->input(0), nullptr, static_cast<std::int64_t>(steps.size())};
  std::int64_t at = 0;
  for (auto* v : steps) {
    Node* n = v->node();
    bool sameDim = constantInt(n->input(1)) && constantInt(n->input(1)) == constantInt(first->input(1));
    auto start = keeps && isNone(n->input(2)) ? std::optional<std::int64_t>(0) : constantInt(n->input(2));
    if (n->input(0) != out.whole || !sameDim || start != at) return std::nullopt;
    if (!keeps) {
      ++at;
      continue;
    }
    auto end = constantInt(n->input(3));
    bool last = v == steps.back();
    if (constantInt(n->input(4)) != 1 || (!end && !last) || (end && *end <= at)) return std::nullopt;
    if (!end && !isNone(n->input(3))) return std::nullopt;
    out.end = end ? n->input(3) : nullptr;
    at = end.value_or(at);
  }
  return out;
}

bool StepLifter::leaf(const Steps& steps) {
  Node* n = steps[0]->node();
  auto found = partsOf(steps);
  auto rank = rankOf(n->input(0));
  if (!found) return no("the steps are not all parts of one tensor, one after the other");
  if (!rank || *rank < 1) return no("the shape of the sequence is not known");
  bool keeps = n->kind() == aten::slice;
  if (!keeps && *rank == 1)
    return no("a step is a tensor of no dimensions, whose dtype gives way to that of others");
  std::int64_t dim = (*constantInt(n->input(1)) + *rank) % *rank;
  Form form{dim, keeps ? *rank : *rank - 1, keeps};
  if (form_ && !(*form_ == form)) return no("the steps of two sequences lie along different dimensions");
  // Part by part the shorter of two may be one long and broadcast, where as a whole it does not fit.
  bool another =
      std::any_of(leaves_.begin(), leaves_.end(), [&](auto& l) { return l.second.whole != found->whole; });
  if (keeps && another)
    return no("the parts are of two sequences, which may differ in length in another call");
  form_ = form;
  leaves_[steps[0]] = *found;
  return true;
}

bool StepLifter::operands(const Steps& steps) {
  Node* first = steps[0]->node();
  if (!isPure(first))
    return no(std::string(first->kind().toQualString()) + " has an effect, or differs from run to run");
  std::vector<bool> moves;
  for (std::size_t i = 0; i < first->inputs().size(); ++i) {
    auto operand = inputsAt(steps, i);
    moves.push_back(!allSame(operand));
    if (!moves.back()) {
      if (followed_.count(operand[0])) return no("the first step is an operand of all of them");
      fixed_.insert(operand[0]);
    }
    if (moves.back() && !follow(operand)) return false;
  }
  if (!form_ || std::none_of(moves.begin(), moves.end(), [](bool m) { return m; }))
    return no("no operand of " + makerWords(steps[0]) + " is another one in each step");
  ++operators_;
  return takesWhole(steps, moves);
}

// The value that all steps share meets each of them as it would meet the whole: it ends right of the steps'
// dimension.
bool StepLifter::broadcastsAlike(Value* fixed) const {
  if (!isTensor(fixed)) return true;
  auto rank = rankOf(fixed);
  return rank && *rank <= behind();
}

bool StepLifter::sameShape(Value* a, Value* b) const {
  auto *x = traced_.find(a), *y = traced_.find(b);
  return x && y && x->shape == y->shape;
}

bool StepLifter::isLast(Value* dim) const {
  auto d = constantInt(dim);
  return d && (*d == -1 || *d == form_->rank - 1);
}

bool StepLifter::takesWhole(const Steps& steps, const std::vector<bool>& moves) {
  Node* n = steps[0]->node();
  auto kind = n->kind();
  bool onlyFirst = moves[0] && std::count(moves.begin(), moves.end(), true) == 1;
  auto refuse = [&](const std::string& why) { return no(std::string(kind.toQualString()) + " " + why); };
  auto refuseAt = [&](std::size_t i, const std::string& why) { return no(operandAt(n, i) + " " + why); };
  for (std::size_t i = 0; i < moves.size(); ++i)
    if (moves[i] && rankOf(n->input(i)) != form_->rank)
      return refuseAt(i, "has another number of dimensions than a step");
  if (rankOf(n->output()) != form_->rank) return refuse("changes the rank of a step");
  if (isPointwise(n) || isCast(n)) {
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (!moves[i] && !broadcastsAlike(n->input(i)))
        return refuseAt(i, "would meet the dimension of the steps");
      if (moves[i] && !std::all_of(steps.begin(), steps.end(),
                                   [&](Value* v) { return sameShape(v->node()->input(i), v); }))
        return refuseAt(i, "is broadcast to the shape of a step");
    }
    return true;
  }
  if (!onlyFirst) return refuse("is not known to do on the whole what it does on each step");
  bool lastStays = behind() > 0;
  if (kind == aten::linear || kind == aten::matmul) {
    if (rankOf(n->input(1)) != 2) return refuseAt(1, "is a weight that is no matrix");
    if (kind == aten::linear && isTensor(n->input(2)) && rankOf(n->input(2)) != 1)
      return refuseAt(2, "is a bias of more than one dimension");
    return lastStays || refuse("sums over the dimension of the steps");
  }
  if (kind == aten::softmax || kind == aten::log_softmax)
    return (lastStays && isLast(n->input(1))) || refuse("is over another dimension than the last");
  if (kind == aten::layer_norm) {
    auto shape = jit::toIValue(n->input(1));
    bool inside =
        shape && shape->isIntList() && static_cast<std::int64_t>(shape->toIntVector().size()) <= behind();
    return inside || refuse("is over the dimension of the steps");
  }
  return refuse("is not known to do on the whole what it does on each step");
}

std::vector<Node*> StepLifter::nodes() const {
  std::vector<Node*> out(nodes_.begin(), nodes_.end());
  sortByPlace(out);
  return out;
}

// select raises an error where there are fewer steps, and slice takes what there is.
Check StepLifter::enoughSteps(const Value* whole, std::int64_t count) const {
  auto steps = std::to_string(count), dim = std::to_string(form_->dim);
  return {"at least " + steps + " steps along dimension " + dim + " of {" + whole->debugName() + "}",
          "v.size(" + dim + ") >= " + steps};
}

Value* StepLifter::lift(Value* first, jit::Graph& graph, std::unordered_map<Value*, Value*>& env) const {
  if (auto known = env.find(first); known != env.end()) return known->second;
  if (auto constant = jit::toIValue(first)) return env[first] = constantOf(graph, *constant);
  if (auto at = leaves_.find(first); at != leaves_.end()) {
    auto& leaf = at->second;
    Value* whole = env.at(leaf.whole);
    auto end = form_->keeps ? (leaf.end ? constantInt(leaf.end) : std::nullopt) : std::optional(leaf.count);
    if (!end) return env[first] = whole;
    if (!form_->keeps) insertCheck(whole, enoughSteps(whole, leaf.count), graph.return_node());
    auto constant = [&](const c10::IValue& v) { return constantOf(graph, v); };
    Node* part =
        graph.insertNode(graph.create(aten::slice, {whole, constant(form_->dim), constant(c10::IValue()),
                                                    constant(*end), constant(std::int64_t{1})}));
    return env[first] = part->output()->setType(whole->type());
  }
  Node* n = first->node();
  for (auto* in : n->inputs()) lift(in, graph, env);
  Node* copy = graph.insertNode(graph.createClone(n, [&](Value* v) { return env.at(v); }));
  if (n->kind() == aten::softmax || n->kind() == aten::log_softmax)  // the whole may have one dimension more
    copy->replaceInput(1, constantOf(graph, c10::IValue(std::int64_t{-1})));
  copy->output()->setType(c10::TensorType::get());
  return env[first] = copy->output();
}

}  // namespace kadvise::graph

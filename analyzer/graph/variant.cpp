#include "analyzer/graph/variant.h"

#include <algorithm>
#include <functional>
#include <set>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/normal_form.h"
#include "analyzer/graph/peephole.h"
#include "analyzer/graph/rule_text.h"
#include "analyzer/graph/squares.h"
#include "analyzer/graph/writes_away.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;

constexpr std::size_t kMostSwitches = 8;

enum class Question { None, Truth, Presence };

Question questionAbout(const Value* parameter) {
  auto type = parameter->type();
  for (auto& use : parameter->uses()) {
    auto kind = use.user->kind();
    bool compared = kind == jit::aten::__is__ || kind == jit::aten::__isnot__;
    if (compared && type->kind() == c10::TypeKind::OptionalType) return Question::Presence;
    bool tested = kind == jit::prim::If || kind == jit::aten::__not__ || kind == jit::prim::Return;
    if (tested && type->kind() == c10::TypeKind::BoolType) return Question::Truth;
  }
  return Question::None;
}

// yes: the parameter is there (it keeps its place and loses "Optional"), or true.
void answer(Graph& graph, std::size_t index, Question question, bool yes, Variant& v) {
  Value* parameter = graph.inputs()[index];
  if (question == Question::Presence && yes) {
    parameter->setType(parameter->type()->expectRef<c10::OptionalType>().getElementType());
    return;
  }
  v.fixed[index] = question == Question::Truth ? c10::IValue(yes) : c10::IValue();
  jit::WithInsertPoint start(*graph.nodes().begin());
  parameter->replaceAllUsesWith(graph.insertConstant(*v.fixed[index]));
}

// What the answers say of a condition.
std::optional<bool> truthOf(Value* condition) {
  Node* n = condition->node();
  if (n->kind() == jit::prim::Constant) {
    auto known = jit::toIValue(condition);
    return known && known->isBool() ? std::optional(known->toBool()) : std::nullopt;
  }
  if (n->kind() == jit::aten::__not__) {
    auto inner = truthOf(n->input());
    return inner ? std::optional(!*inner) : std::nullopt;
  }
  bool is = n->kind() == jit::aten::__is__, isNot = n->kind() == jit::aten::__isnot__;
  if ((!is && !isNot) || !isNone(n->input(1))) return std::nullopt;
  auto type = n->input(0)->type()->kind();
  if (isNone(n->input(0))) return is;
  bool isThere = type == c10::TypeKind::TensorType || type == c10::TypeKind::FloatType ||
                 type == c10::TypeKind::IntType || type == c10::TypeKind::ListType;
  return isThere ? std::optional(isNot) : std::nullopt;
}

// Each `if` whose answer is known becomes what it says. LibTorch's passes would find the same, but only after
// they have asked of every branch what may alias what: that is most of the time that a text of many readings
// takes.
void takeAnswers(Graph& graph) {
  for (auto it = graph.nodes().begin(); it != graph.nodes().end();) {
    Node* n = *it;
    auto answer = n->kind() == jit::prim::If ? truthOf(n->input()) : std::nullopt;
    ++it;
    if (!answer) continue;
    jit::Block* taken = n->blocks()[*answer ? 0 : 1];
    Node* first = n->next();
    bool isFirst = true;
    for (auto inner = taken->nodes().begin(); inner != taken->nodes().end();) {
      Node* moved = *inner++;
      moved->moveBefore(n);
      if (isFirst) first = moved, isFirst = false;
    }
    for (std::size_t i = 0; i < n->outputs().size(); ++i)
      n->output(i)->replaceAllUsesWith(taken->outputs()[i]);
    it = first->iterator();
    n->destroy();
  }
}

bool mayRaise(Graph& graph) {
  bool found = false;
  forEachNode(graph.block(), [&](Node* n) { found = found || n->kind() == jit::prim::RaiseException; });
  return found;
}

// The same for equal graphs, however their values came to be numbered.
std::string textOf(const std::shared_ptr<Graph>& graph) {
  return jit::Canonicalize(graph, /*keep_unique_names=*/false)->toString(/*print_source_locations=*/false);
}

bool branches(Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(),
                     [](Node* n) { return !n->blocks().empty(); });
}

std::size_t size(const Graph& graph) {
  return static_cast<std::size_t>(std::distance(graph.nodes().begin(), graph.nodes().end()));
}

// Optionals that are known to be there, and conditions that are known.
void decide(std::shared_ptr<Graph>& graph, const std::string& place) {
  if (branches(*graph)) peephole(graph, PeepholeShapes::Use);
  jit::ConstantPropagation(graph);
  peephole(graph, PeepholeShapes::Use);
  takeTuplesApart(graph, place);  // "return y, s" gives two outputs
  normalise(graph);
  forgetWrites(*graph);
  squaresAsPowers(*graph, [](const Value*) { return true; });  // no page's pattern squares a mask
  normaliseAgain(graph);
}

struct Switch {
  std::size_t parameter;
  Question question;
};

// Of all combinations of answers, in the order of their numbers, in which the last switch is the highest bit
// and "yes" is 0. An answer that breaks an `assert` by itself ends all combinations with it.
void answerEach(Variant v, const std::vector<Switch>& switches, std::size_t open,
                const std::function<void(Variant&)>& found) {
  takeAnswers(*v.graph);
  if (raises(v.graph->block())) return;
  if (open == 0) return found(v);
  auto& next = switches[open - 1];
  Variant yes{v.graph->copy(), v.fixed};
  answer(*yes.graph, next.parameter, next.question, true, yes);
  answerEach(std::move(yes), switches, open - 1, found);
  answer(*v.graph, next.parameter, next.question, false, v);
  answerEach(std::move(v), switches, open - 1, found);
}

}  // namespace

std::vector<Variant> variantsOf(const Compiled& compiled, const std::string& place) {
  std::vector<Switch> switches;
  for (std::size_t i = 0; i < compiled.graph->inputs().size(); ++i)
    if (auto q = questionAbout(compiled.graph->inputs()[i]); q != Question::None) switches.push_back({i, q});
  if (switches.size() > kMostSwitches)
    throw Error(place, "the pattern asks about " + std::to_string(switches.size()) +
                           " parameters, more than " + std::to_string(kMostSwitches));

  std::vector<Variant> out;
  std::set<std::string> texts;
  Variant unanswered{compiled.graph->copy(),
                     std::vector<std::optional<c10::IValue>>(compiled.graph->inputs().size())};
  answerEach(std::move(unanswered), switches, switches.size(), [&](Variant& v) {
    decide(v.graph, place);
    if (mayRaise(*v.graph)) return;
    if (branches(*v.graph))
      throw Error(place,
                  "a pattern cannot hold if or loops, save `if` about a bool parameter or about one that may "
                  "be None");
    if (texts.insert(textOf(v.graph)).second) out.push_back(std::move(v));
  });
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return size(*a.graph) > size(*b.graph); });
  return out;
}

}  // namespace kadvise::graph

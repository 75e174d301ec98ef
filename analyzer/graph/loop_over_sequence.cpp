#include "analyzer/graph/loop_over_sequence.h"

#include <algorithm>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/lift_steps.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// A pattern of more nodes would not be matched within its limit of steps.
constexpr std::size_t kMostNodes = 1500;

// The steps are joined into the result of `join`.
struct Unrolled {
  Node* join;  // stack or cat
  Steps steps;
};

std::optional<Unrolled> unrolledAt(Node* n) {
  bool joins = (n->kind() == aten::stack || n->kind() == aten::cat) && n->inputs().size() == 2;
  if (!joins || n->input(0)->node()->kind() != prim::ListConstruct || !constantInt(n->input(1)))
    return std::nullopt;
  auto inputs = n->input(0)->node()->inputs();
  if (inputs.size() < 2) return std::nullopt;
  return Unrolled{n, Steps(inputs.begin(), inputs.end())};
}

std::string whyNotJoined(const Unrolled& u, const StepLifter& lifter) {
  bool stacks = u.join->kind() == aten::stack;
  if (lifter.keepsDimension() == stacks)
    return "the results are joined along another dimension than that of the steps";
  auto rank = lifter.rankOfStep();
  bool same = (*constantInt(u.join->input(1)) + rank) % rank == lifter.dimension();
  return stacks || same ? "" : "the results are joined along another dimension than that of the steps";
}

// stack may put the steps at another place than the sequence has them.
Value* atItsPlace(Value* y, const Unrolled& u, const StepLifter& lifter, jit::Graph& graph) {
  auto rank = lifter.rankOfStep() + 1;
  auto to = (*constantInt(u.join->input(1)) + rank) % rank;
  if (u.join->kind() == aten::cat || to == lifter.dimension()) return y;
  Node* moved = graph.create(c10::Symbol::aten("movedim"),
                             {y, constantOf(graph, lifter.dimension()), constantOf(graph, to)});
  return graph.insertNode(moved)->output()->setType(c10::TensorType::get());
}

MadeRewrite onTheWhole(const Unrolled& u, const StepLifter& lifter) {
  MadeRewrite made;
  auto nodes = lifter.nodes();
  nodes.push_back(u.join->input(0)->node());
  nodes.push_back(u.join);
  std::vector<Value*> parameters;
  made.roots = {u.join};
  made.pattern = patternOf(nodes, {u.join->output()}, parameters);
  auto graph = std::make_shared<jit::Graph>();
  std::unordered_map<Value*, Value*> env;
  for (std::size_t i = 0; i < parameters.size(); ++i)
    env[parameters[i]] =
        graph->addInput(made.pattern->parameters[i])->setType(made.pattern->graph->inputs()[i]->type());
  graph->registerOutput(atItsPlace(lifter.lift(u.steps[0], *graph, env), u, lifter, *graph));
  graph->lint();
  made.replacement = std::make_shared<Replacement>(
      Replacement{graph, {1, Exactness::Reassociates, "", "the operators on the whole sequence"}, 1});
  return made;
}

void lookAtUnrolled(Node* n, const Analysis& analysis, CodedResult& out) {
  auto unrolled = unrolledAt(n);
  if (!unrolled) return;
  StepLifter lifter(analysis.traced);
  bool follows = lifter.follow(unrolled->steps);
  if (!lifter.sawSteps() || (follows && lifter.operators() == 0)) return;
  auto why = follows ? whyNotJoined(*unrolled, lifter) : lifter.why();
  if (why.empty() && lifter.nodes().size() > kMostNodes) why = "there are more steps than a pattern may have";
  if (!why.empty())
    return out.refused.push_back(
        {n, {std::string("the steps joined by ") + n->kind().toQualString() + ":", why}});
  CodedFinding f;
  f.node = n;
  f.message = std::to_string(unrolled->steps.size()) +
              " steps of a sequence are computed one by one, all in the same way and none from another: "
              "on the whole sequence this is " +
              std::to_string(lifter.operators()) + (lifter.operators() == 1 ? " operator" : " operators");
  f.rewrite = onTheWhole(*unrolled, lifter);
  out.findings.push_back(std::move(f));
}

// The list that a loop fills and that is joined behind it.
struct Collected {
  Node* append;
  Node* join;
};

std::optional<Collected> collectedBy(Node* loop) {
  Collected out{};
  for (Node* n : loop->blocks()[0]->nodes()) {
    if (n->kind() != aten::append) {
      if (!isPure(n)) return std::nullopt;
      continue;
    }
    if (out.append) return std::nullopt;
    out.append = n;
  }
  if (!out.append) return std::nullopt;
  Value* list = out.append->input(0);
  if (list->node()->kind() != prim::ListConstruct || !list->node()->inputs().empty() ||
      list->uses().size() != 2)
    return std::nullopt;
  for (auto& use : list->uses())
    if (use.user->kind() == aten::stack || use.user->kind() == aten::cat) out.join = use.user;
  return out.join ? std::optional(out) : std::nullopt;
}

bool comesFrom(const Value* v, const Value* counter) {
  if (v == counter) return true;
  bool number = v->type()->kind() == c10::TypeKind::IntType;
  return number && std::any_of(v->node()->inputs().begin(), v->node()->inputs().end(),
                               [&](const Value* in) { return comesFrom(in, counter); });
}

// A part of a tensor from outside the loop, at a place that the counter decides. The tensors of any other
// list may differ in shape.
bool readsItsStep(Node* n, jit::Block* body) {
  bool part = n->kind() == aten::select || n->kind() == aten::slice;
  bool ofParts = n->kind() == aten::__getitem__ && n->input(0)->node()->kind() == aten::unbind;
  if (!part && !ofParts) return false;
  return n->input(0)->node()->owningBlock() != body && comesFrom(n->input(part ? 2 : 1), body->inputs()[0]);
}

void lookAtLoop(Node* loop, CodedResult& out) {
  jit::Block* body = loop->blocks()[0];
  auto goesOn = jit::toIValue(body->outputs()[0]);
  bool counted = goesOn && goesOn->isBool() && goesOn->toBool();
  if (!counted || !loop->outputs().empty()) return;
  auto collected = collectedBy(loop);
  bool reads =
      std::any_of(body->nodes().begin(), body->nodes().end(), [&](Node* n) { return readsItsStep(n, body); });
  if (!collected || !reads) return;
  CodedFinding f;
  f.node = loop;
  f.related = {collected->join};
  f.message =
      "the steps of this loop do not depend on each other: its operators can work on the whole sequence at "
      "once";
  out.findings.push_back(std::move(f));
}

}  // namespace

CodedResult findLoopsOverSequences(const RulePage& page, const Analysis& analysis) {
  CodedResult out;
  forEachNode(analysis.graph.block(), [&](Node* n) {
    if (n->kind() == prim::Loop) lookAtLoop(n, out);
    else lookAtUnrolled(n, analysis, out);
  });
  for (auto& f : out.findings) f.breaks = page.nodes.breaks;
  if (out.findings.empty() && out.refused.empty()) out.whyNothing = "the module joins no steps of a sequence";
  return out;
}

}  // namespace kadvise::graph

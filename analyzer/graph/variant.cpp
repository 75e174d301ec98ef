#include "analyzer/graph/variant.h"

#include <algorithm>
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

bool raises(Graph& graph) {
  bool found = false;
  forEachNode(graph.block(), [&](Node* n) { found = found || n->kind() == jit::prim::RaiseException; });
  return found;
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
  peephole(graph, PeepholeShapes::Use);
  jit::ConstantPropagation(graph);
  peephole(graph, PeepholeShapes::Use);
  takeTuplesApart(graph, place);  // "return y, s" gives two outputs
  normalise(graph);
  forgetWrites(*graph);
  squaresAsPowers(*graph, [](const Value*) { return true; });  // no page's pattern squares a mask
  normaliseAgain(graph);
}

}  // namespace

std::vector<Variant> variantsOf(const Compiled& compiled, const std::string& place) {
  std::vector<std::pair<std::size_t, Question>> switches;
  for (std::size_t i = 0; i < compiled.graph->inputs().size(); ++i)
    if (auto q = questionAbout(compiled.graph->inputs()[i]); q != Question::None) switches.emplace_back(i, q);
  if (switches.size() > kMostSwitches)
    throw Error(place, "the pattern asks about " + std::to_string(switches.size()) +
                           " parameters, more than " + std::to_string(kMostSwitches));

  std::vector<Variant> out;
  std::set<std::string> texts;
  for (std::size_t answers = 0; answers < (std::size_t{1} << switches.size()); ++answers) {
    Variant v{compiled.graph->copy(),
              std::vector<std::optional<c10::IValue>>(compiled.graph->inputs().size())};
    for (std::size_t i = 0; i < switches.size(); ++i)
      answer(*v.graph, switches[i].first, switches[i].second, (answers >> i & 1) == 0, v);
    decide(v.graph, place);
    if (raises(*v.graph)) continue;
    if (branches(*v.graph))
      throw Error(place,
                  "a pattern cannot hold if or loops, save `if` about a bool parameter or about one that may "
                  "be None");
    if (texts.insert(v.graph->toString(/*print_source_locations=*/false)).second) out.push_back(std::move(v));
  }
  std::stable_sort(out.begin(), out.end(), [](auto& a, auto& b) { return size(*a.graph) > size(*b.graph); });
  return out;
}

}  // namespace kadvise::graph

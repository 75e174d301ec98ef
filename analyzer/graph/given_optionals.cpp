#include "analyzer/graph/given_optionals.h"

#include "analyzer/graph/fold.h"
#include "analyzer/graph/input_checks.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/optional_attributes.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

bool isGivenTensor(const Value* v, const TracedValues& traced) {
  if (!isOptionalTensor(v->type()) || !v->hasUses()) return false;
  auto* seen = traced.find(v);
  return seen && seen->kind == "tensor";
}

// Uses that were there before keep what they are for; the check alone goes on asking for None.
void takeForTensor(jit::Graph& graph, Value* v) {
  Node* first = *graph.nodes().begin();
  jit::WithInsertPoint here(first);
  Node* cast = graph.insertNode(graph.create(prim::unchecked_cast, {v}, 1));
  cast->output()->setType(c10::TensorType::get());
  v->replaceAllUsesAfterNodeWith(cast, cast->output());
}

}  // namespace

std::vector<std::string> settleGivenOptionals(jit::Graph& graph, const TracedValues& traced) {
  std::vector<std::string> facts;
  for (std::size_t i = graph.inputs().size(); i-- > 1;) {
    Value* v = graph.inputs()[i];
    if (!isGivenTensor(v, traced)) continue;
    auto name = v->debugName();
    Check check{name.substr(0, name.find('.')) + ": given", "v is not None"};
    takeForTensor(graph, v);
    insertCheck(v, check, *graph.nodes().begin());
    facts.insert(facts.begin(), check.fact);
  }
  if (!facts.empty()) simplify(graph.shared_from_this());
  return facts;
}

}  // namespace kadvise::graph

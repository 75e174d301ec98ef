#include "analyzer/graph/capture_values.h"

#include <algorithm>

#include "analyzer/graph/capturable.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/step.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

bool isSource(const Node* n) { return n->kind() == prim::Constant || n->kind() == prim::GetAttr; }

// Tensors whose sizes or strides forward changes in place.
std::vector<Value*> reshapedIn(jit::Graph& graph) {
  std::vector<Value*> out;
  forEachNode(graph.block(), [&](Node* n) {
    if (reshapesInPlace(n)) out.push_back(n->input(0));
  });
  return out;
}

// Asked again later, they would have other sizes.
bool takesAny(const Node* n, const std::vector<Value*>& reshaped, const Aliases& aliases) {
  auto isReshaped = [&](const Value* in) {
    return std::any_of(reshaped.begin(), reshaped.end(),
                       [&](const Value* r) { return r == in || aliases.mayAlias(r, in); });
  };
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [&](const Value* in) { return holdsTensors(in->type()) && isReshaped(in); });
}

}  // namespace

bool isHostWork(const Node* n) {
  return n->kind() != prim::Param && n->blocks().empty() && !launches(n) && !hasEffects(n) &&
         !n->isNondeterministic();
}

CaptureValues::CaptureValues(jit::Graph& graph, const Aliases& aliases) {
  std::unordered_set<std::string> assigned;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() == prim::SetAttr) assigned.insert(n->s(jit::attr::name));
  });
  for (Value* in : graph.inputs()) {
    if (in->type()->kind() == c10::TypeKind::ClassType) ofModule_.insert(in), had_.insert(in);
    if (isTensor(in)) had_.insert(in);
  }
  forEachNode(graph.block(), [&](Node* n) {
    if (isSource(n)) addModule(n->output(), aliases, assigned);
  });
  auto reshaped = reshapedIn(graph);
  Dependence dependence(graph);
  auto readsData = [&](Node* n) {  // which a write may change, and a capture cannot wait for
    return std::any_of(n->outputs().begin(), n->outputs().end(),
                       [&](Value* out) { return readsOnHost(n) && dependence.onData(out); });
  };
  for (Node* n : graph.nodes()) {  // in execution order, so that operands come first
    bool known = !isSource(n) && isHostWork(n) && !readsData(n) && !takesAny(n, reshaped, aliases) &&
                 std::all_of(n->inputs().begin(), n->inputs().end(), [&](Value* in) { return canBeHad(in); });
    for (Value* out : n->outputs())
      if (isTensor(out) || (known && !aliases.hasWriters(out))) had_.insert(out);
  }
}

void CaptureValues::addModule(Value* v, const Aliases& aliases,
                              const std::unordered_set<std::string>& assigned) {
  bool attribute = v->node()->kind() == prim::GetAttr;
  if (attribute && !attributePath(v)) return;  // of an object that forward makes itself
  bool changed =
      (attribute && assigned.count(v->node()->s(jit::attr::name))) || (isTensor(v) && aliases.hasWriters(v));
  if (changed) changed_.insert(v);
  else ofModule_.insert(v), had_.insert(v);
}

}  // namespace kadvise::graph

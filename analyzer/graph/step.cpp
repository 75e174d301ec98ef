#include "analyzer/graph/step.h"

#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
using jit::Node;
using jit::Value;

bool reshapesInPlace(const Node* n) { return has(n, OperatorTrait::ReshapesInPlace); }

Node* Step::insert(Node* at, c10::Symbol kind, at::ArrayRef<Value*> inputs, std::size_t outputs) const {
  jit::WithInsertPoint here(at);
  Node* n = graph.insertNode(graph.create(kind, inputs, outputs));
  n->copyMetadata(at);
  made.insert(n);
  return n;
}

Value* Step::constant(Node* at, const c10::IValue& v) const {
  jit::WithInsertPoint here(at);
  Value* out = graph.insertConstant(v);
  out->node()->copyMetadata(at);
  return out;
}

void Step::replace(Node* old, Value* by) const {
  if (by->node()->kind() != jit::prim::Param) by->setType(old->output()->type());
  if (made.count(by->node())) aliases.standIn(by, old->output());
  old->output()->replaceAllUsesWith(by);
  dead.push_back(old);
}

bool Step::onlyRead(Node* n) const {
  for (auto* out : n->outputs())
    if (aliases.hasWriters(out)) return false;
  for (auto* in : n->inputs())
    if (isTensor(in) && aliases.hasWriters(in)) return false;
  return true;
}

bool Step::isReshaped(const Value* v) const {
  if (!aliases.hasWriters(v)) return false;
  bool found = false;
  forEachNode(graph.block(), [&](Node* n) { found = found || reshapesInPlace(n); });
  return found;
}

void forEachStep(jit::Graph& graph, const std::function<void(const Step&, Node*)>& visit) {
  std::vector<Node*> dead;
  auto aliases = aliasesOf(graph.shared_from_this());
  std::unordered_set<const Node*> made;
  Step s{graph, dead, *aliases, made};
  forEachNode(graph.block(), [&](Node* n) { visit(s, n); });
  for (Node* n : dead) n->destroy();
}

}  // namespace kadvise::graph

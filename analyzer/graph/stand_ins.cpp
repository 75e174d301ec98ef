#include "analyzer/graph/stand_ins.h"

#include "analyzer/graph/subject.h"

namespace kadvise::graph {

const TracedValue* Shapes::tensor(const torch::jit::Value* v) const {
  auto* seen = traced_.find(v);
  if (auto* replaced = made_.find(v); replaced && replaced->traced) seen = &*replaced->traced;
  return seen && seen->kind == "tensor" ? seen : nullptr;
}

int Shapes::idOf(const torch::jit::Node* n) const {
  if (!isInserted(n)) return nodeId(n);
  for (auto* out : n->outputs())
    if (auto* replaced = made_.find(out)) return replaced->node;
  return nodeId(n);  // of an earlier round, if of any
}

}  // namespace kadvise::graph

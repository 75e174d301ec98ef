#include "analyzer/graph/filled_lists.h"

#include <algorithm>
#include <set>

namespace kadvise::graph {
namespace {

using torch::jit::Node;

bool isWrite(const torch::jit::Use& use) {
  auto* schema = use.user->maybeSchema();
  if (!schema || use.offset >= schema->arguments().size()) return false;
  auto* alias = schema->arguments()[use.offset].alias_info();
  return alias && alias->isWrite();
}

}  // namespace

bool isFilledList(const torch::jit::Value* v) {
  return v->node()->kind() == torch::jit::prim::ListConstruct &&
         std::any_of(v->uses().begin(), v->uses().end(), isWrite);
}

std::vector<Node*> withoutFilledLists(const std::vector<Node*>& nodes) {
  std::set<const Node*> inside(nodes.begin(), nodes.end());
  auto isInside = [&](const Node* n) {
    for (; n; n = n->owningBlock()->owningNode())
      if (inside.count(n)) return true;
    return false;
  };
  std::vector<Node*> out;
  for (Node* n : nodes) {
    bool isFilled = n->kind() == torch::jit::prim::ListConstruct &&
                    std::any_of(n->output()->uses().begin(), n->output()->uses().end(),
                                [&](auto& use) { return isWrite(use) && !isInside(use.user); });
    if (!isFilled) out.push_back(n);
  }
  return out;
}

}  // namespace kadvise::graph

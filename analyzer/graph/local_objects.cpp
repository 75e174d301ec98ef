#include "analyzer/graph/local_objects.h"

#include <map>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

bool isOf(const Node* object, const Node* n) {
  return !n->inputs().empty() && n->inputs()[0]->node() == object;
}

// Set in the object's own block only, so that the last setting above a reader is the one it sees.
bool isLocal(const Node* object) {
  auto& uses = object->output()->uses();
  return std::all_of(uses.begin(), uses.end(), [&](const jit::Use& use) {
    bool reads = use.user->kind() == prim::GetAttr;
    bool sets = use.user->kind() == prim::SetAttr && use.offset == 0 &&
                use.user->owningBlock() == object->owningBlock();
    return reads || sets;
  });
}

// Hands every reader what was last set. Leaves the graph as it was where a reader comes first.
void lower(Node* object) {
  std::map<std::string, Value*> stored;
  std::vector<std::pair<Node*, Value*>> readers;
  std::vector<Node*> setters;
  bool complete = true;
  auto read = [&](Node* n) {
    if (n->kind() != prim::GetAttr || !isOf(object, n)) return;
    auto it = stored.find(n->s(jit::attr::name));
    complete = complete && it != stored.end();
    if (complete) readers.emplace_back(n, it->second);
  };
  for (Node* n = object->next(); n != object->owningBlock()->return_node(); n = n->next()) {
    read(n);
    for (jit::Block* b : n->blocks()) forEachNode(b, read);
    if (n->kind() != prim::SetAttr || !isOf(object, n)) continue;
    stored[n->s(jit::attr::name)] = n->input(1);
    setters.push_back(n);
  }
  if (!complete) return;
  for (auto& [reader, value] : readers) {
    reader->output()->replaceAllUsesWith(value);
    reader->destroy();
  }
  for (Node* n : setters) n->destroy();
  object->destroy();
}

}  // namespace

void lowerLocalObjects(jit::Graph& graph) {
  auto isLocalObject = [](Node* n) { return n->kind() == prim::CreateObject && isLocal(n); };
  for (Node* object : nodesWhere(graph.block(), isLocalObject)) lower(object);
}

}  // namespace kadvise::graph

#include "analyzer/graph/kept_results.h"

#include <algorithm>
#include <map>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// Everything that forward does with one dictionary.
struct Uses {
  std::vector<Node*> asks, stores, reads;
  bool others = false;
};

std::map<std::string, Uses> usesOfDictionaries(jit::Graph& graph) {
  std::map<std::string, Uses> out;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() != prim::GetAttr || n->output()->type()->kind() != c10::TypeKind::DictType) return;
    auto path = attributePath(n->output());
    if (!path) return;
    Uses& uses = out[*path];
    uses.others = uses.others || isAssigned(n->output());
    for (const jit::Use& use : n->output()->uses()) {
      auto k = use.user->kind();
      auto* among = use.offset != 0           ? nullptr
                    : k == aten::__contains__ ? &uses.asks
                    : k == aten::_set_item    ? &uses.stores
                    : k == aten::__getitem__  ? &uses.reads
                                              : nullptr;
      if (among) among->push_back(use.user);
      else uses.others = true;
    }
  });
  return out;
}

// The block that runs where the answer is no, of the one branch that asks; nullptr where there is more to it.
jit::Block* blockWhereAbsent(Node* ask) {
  bool isTurned = false;
  Value* answer = ask->output();
  for (; answer->uses().size() == 1; answer = answer->uses()[0].user->output()) {
    Node* user = answer->uses()[0].user;
    if (user->kind() == prim::If) return user->outputs().empty() ? user->blocks()[isTurned ? 0 : 1] : nullptr;
    if (user->kind() != aten::__not__) return nullptr;
    isTurned = !isTurned;
  }
  return nullptr;
}

bool isOfTheModule(Value* v) {
  return v->node()->kind() == prim::Constant || (attributePath(v) && !isAssigned(v));
}

// Whether the block stores one value and does nothing else, and that value is the same in each call.
bool onlyMakesIt(jit::Block* block, Node* store) {
  return std::all_of(block->nodes().begin(), block->nodes().end(), [&](Node* n) {
    if (n == store) return true;
    return n->blocks().empty() && (n->kind() == prim::GetAttr || (isPure(n) && !isRandom(n))) &&
           std::all_of(n->inputs().begin(), n->inputs().end(), [&](Value* v) {
             return v->node()->owningBlock() == block || isOfTheModule(v) ||
                    v == block->owningGraph()->inputs()[0];
           });
  });
}

// The branch in which the result is made, where every read is sure to find it.
Node* branchThatFills(const Uses& uses) {
  if (uses.others || uses.asks.size() != 1 || uses.stores.size() != 1) return nullptr;
  Node *ask = uses.asks[0], *store = uses.stores[0];
  jit::Block* absent = blockWhereAbsent(ask);
  if (!absent || store->owningBlock() != absent || !onlyMakesIt(absent, store)) return nullptr;
  Node* branch = absent->owningNode();
  bool nothingElse = std::all_of(branch->blocks().begin(), branch->blocks().end(), [&](jit::Block* b) {
    return b == absent || b->nodes().begin() == b->nodes().end();
  });
  Value* key = ask->input(1);
  bool isFound = std::all_of(uses.reads.begin(), uses.reads.end(), [&](Node* read) {
    Node* holder = holderIn(branch->owningBlock(), read);
    return read->input(1) == key && holder && branch->isBefore(holder);
  });
  return nothingElse && store->input(1) == key && isFound ? branch : nullptr;
}

// No other attribute is the same dictionary, which would find there what it did not put there.
bool isAlone(const c10::IValue& dictionary, const jit::Module& module) {
  int names = 0;
  for (const auto& attribute : module.named_attributes()) names += attribute.value.is(dictionary) ? 1 : 0;
  return names == 1;
}

void lower(const Uses& uses, Node* branch) {
  Node *store = uses.stores[0], *ask = uses.asks[0];
  Value* made = store->input(2);
  store->destroy();
  jit::Block* absent = blockWhereAbsent(ask);
  for (auto n = absent->nodes().begin(); n != absent->nodes().end();) (*n++)->moveBefore(branch);
  branch->destroy();
  for (Node* read : uses.reads) {
    read->output()->replaceAllUsesWith(made);
    read->destroy();
  }
}

}  // namespace

void lowerKeptResults(jit::Graph& graph, const jit::Module& module) {
  for (const auto& [path, uses] : usesOfDictionaries(graph)) {
    c10::IValue dictionary = attributeAt(module, path);
    if (!dictionary.isGenericDict() || !dictionary.toGenericDict().empty()) continue;
    if (!isAlone(dictionary, module)) continue;
    if (Node* branch = branchThatFills(uses)) lower(uses, branch);
  }
  jit::EliminateDeadCode(graph.shared_from_this());
}

}  // namespace kadvise::graph

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

// What holds the same in each call while nobody assigns it: lists and objects may be changed where they are.
bool isOfOneValue(const c10::TypePtr& type) {
  if (auto optional = type->cast<c10::OptionalType>()) return isOfOneValue(optional->getElementType());
  auto kind = type->kind();
  return kind == c10::TypeKind::TensorType || kind == c10::TypeKind::NoneType ||
         kind == c10::TypeKind::IntType || kind == c10::TypeKind::FloatType ||
         kind == c10::TypeKind::BoolType || kind == c10::TypeKind::StringType;
}

bool keepsTensors(const c10::TypePtr& type) {
  auto dictionary = type->cast<c10::DictType>();
  return dictionary && dictionary->getValueType()->kind() == c10::TypeKind::TensorType;
}

// Whether forward runs code that this file does not look into.
bool callsOthers(jit::Graph& graph) {
  return !nodesWhere(graph.block(), [](Node* n) {
            return n->kind() == prim::fork || n->kind() == prim::CallMethod ||
                   n->kind() == prim::CallFunction;
          }).empty();
}

// Everything that forward does with one dictionary.
struct Uses {
  std::vector<Node*> asks, stores, reads;
  bool others = false;
};

std::map<std::string, Uses> usesOfDictionaries(jit::Graph& graph) {
  std::map<std::string, Uses> out;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() != prim::GetAttr || !keepsTensors(n->output()->type())) return;
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

// A constant, an attribute that stays what it is, or a module on the way to one.
bool isOfTheModule(Value* v) {
  if (v->node()->kind() == prim::Constant) return true;
  return attributePath(v) && !isAssigned(v) && (isOfOneValue(v->type()) || v->type()->is_module());
}

// Whether forward may write to a tensor that goes into what is kept, to that itself, or to what was read: the
// next call would find it changed.
bool isWritten(const Uses& uses, const Aliases& aliases) {
  auto written = [&](Value* v) { return isTensor(v) && aliases.hasWriters(v); };
  auto makesOfWritten = [&](Node* store) {
    auto nodes = store->owningBlock()->nodes();
    return std::any_of(nodes.begin(), nodes.end(),
                       [&](Node* n) { return std::any_of(n->inputs().begin(), n->inputs().end(), written); });
  };
  return std::any_of(uses.stores.begin(), uses.stores.end(), makesOfWritten) ||
         std::any_of(uses.reads.begin(), uses.reads.end(), [&](Node* n) { return written(n->output()); });
}

// Whether the block stores one value and does nothing else, and that value is the same in each call.
bool onlyMakesIt(jit::Block* block, Node* store) {
  return std::all_of(block->nodes().begin(), block->nodes().end(), [&](Node* n) {
    if (n == store) return true;
    bool isRead =
        n->kind() == prim::GetAttr && (isOfTheModule(n->output()) || keepsTensors(n->output()->type()));
    return n->blocks().empty() && (isRead || (n->kind() != prim::GetAttr && isPure(n) && !isRandom(n))) &&
           std::all_of(n->inputs().begin(), n->inputs().end(), [&](Value* v) {
             return v->node()->owningBlock() == block || isOfTheModule(v) ||
                    v == block->owningGraph()->inputs()[0];
           });
  });
}

// One place that asks for a key, makes what is absent, and reads.
struct Place {
  Node *ask, *store, *branch;
  std::vector<Node*> reads;
};

// Where the key is asked for, and made where it is absent; nullopt where there is more to it.
std::optional<Place> placeThatAsks(Node* ask, const Uses& uses) {
  jit::Block* absent = blockWhereAbsent(ask);
  auto store = std::find_if(uses.stores.begin(), uses.stores.end(), [&](Node* n) {
    return n->input(1) == ask->input(1) && n->owningBlock() == absent;
  });
  if (!absent || store == uses.stores.end() || !onlyMakesIt(absent, *store)) return std::nullopt;
  Place out{ask, *store, absent->owningNode(), {}};
  for (jit::Block* b : out.branch->blocks())
    if (b != absent && b->nodes().begin() != b->nodes().end()) return std::nullopt;
  return out;
}

// Whether the read is sure to find what was made there, or by another place of the same key before.
bool comesAfter(Node* read, const Place& place) {
  Node* holder = holderIn(place.branch->owningBlock(), read);
  return read->input(1) == place.ask->input(1) && holder && place.branch->isBefore(holder);
}

// Computed alike of the same parameters and constants: by onlyMakesIt there is nothing else below.
bool isMadeAlike(Value* a, Value* b) {
  if (a == b) return true;
  auto path = attributePath(a);
  if (path || attributePath(b)) return path == attributePath(b);
  Node *n = a->node(), *m = b->node();
  if (n->kind() != m->kind() || a->offset() != b->offset() || n->inputs().size() != m->inputs().size())
    return false;
  if (n->kind() == prim::Constant) {
    auto one = jit::toIValue(a), other = jit::toIValue(b);
    return one && other && sameConstant(*one, *other);
  }
  for (std::size_t i = 0; i < n->inputs().size(); ++i)
    if (!isMadeAlike(n->input(i), m->input(i))) return false;
  return !n->hasAttributes() && !m->hasAttributes();
}

// Every use of the dictionary, place by place; empty where one of them may find something else.
std::vector<Place> placesOf(const Uses& uses) {
  std::vector<Place> out;
  if (uses.others || uses.asks.size() != uses.stores.size()) return {};
  for (Node* ask : uses.asks) {
    auto place = placeThatAsks(ask, uses);
    if (!place || !isMadeAlike(place->store->input(2), uses.stores[0]->input(2))) return {};
    out.push_back(*place);
  }
  for (Node* read : uses.reads) {
    auto place = std::find_if(out.begin(), out.end(), [&](const Place& p) { return comesAfter(read, p); });
    if (place == out.end()) return {};
    place->reads.push_back(read);
  }
  return out;
}

// No other attribute is the same dictionary, which would find there what it did not put there.
bool isAlone(const c10::IValue& dictionary, const jit::Module& module) {
  int names = 0;
  for (const auto& attribute : module.named_attributes()) names += attribute.value.is(dictionary) ? 1 : 0;
  return names == 1;
}

void lower(const Place& place) {
  Value* made = place.store->input(2);
  jit::Block* absent = place.store->owningBlock();
  place.store->destroy();
  for (auto n = absent->nodes().begin(); n != absent->nodes().end();) (*n++)->moveBefore(place.branch);
  place.branch->destroy();
  for (Node* read : place.reads) {
    read->output()->replaceAllUsesWith(made);
    read->destroy();
  }
}

}  // namespace

void lowerKeptResults(jit::Graph& graph, const jit::Module& module) {
  std::vector<Place> places;
  std::optional<Aliases> aliases;  // before anything is changed
  for (const auto& [path, uses] : usesOfDictionaries(graph)) {
    c10::IValue dictionary = attributeAt(module, path);
    if (!dictionary.isGenericDict() || !dictionary.toGenericDict().empty()) continue;
    auto found = isAlone(dictionary, module) ? placesOf(uses) : std::vector<Place>();
    if (found.empty()) continue;
    if (!aliases && callsOthers(graph)) return;
    if (!aliases) aliases.emplace(graph.shared_from_this(), /*isFrozen=*/true, &module);
    if (!isWritten(uses, *aliases)) places.insert(places.end(), found.begin(), found.end());
  }
  if (places.empty()) return;
  for (const Place& place : places) lower(place);
  jit::EliminateDeadCode(graph.shared_from_this());
}

}  // namespace kadvise::graph

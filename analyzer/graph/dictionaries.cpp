#include "analyzer/graph/dictionaries.h"

#include <map>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

std::optional<std::string> keyOf(Value* v) {
  auto key = jit::toIValue(v);
  return key && key->isString() ? std::optional(key->toStringRef()) : std::nullopt;
}

bool isKnownUse(const Node* dict, Node* user) {
  auto k = user->kind();
  bool stores = k == aten::_set_item && user->inputs().size() == 3;
  bool reads = (k == aten::__getitem__ || k == aten::__contains__) && user->inputs().size() == 2;
  return user->owningBlock() == dict->owningBlock() && (stores || reads) && user->input(0)->node() == dict &&
         keyOf(user->input(1));
}

// Key and value of what it is made with; nullopt where a key is not known.
std::optional<std::map<std::string, Value*>> initial(Node* dict) {
  std::map<std::string, Value*> out;
  for (std::size_t i = 0; i + 1 < dict->inputs().size(); i += 2) {
    auto key = keyOf(dict->input(i));
    if (!key) return std::nullopt;
    out[*key] = dict->input(i + 1);
  }
  return out;
}

// A read of what was never stored raises, and must go on doing so.
bool everyReadIsStored(Node* dict, std::map<std::string, Value*> stored) {
  for (Node* n = dict->next(); n != dict->owningBlock()->return_node(); n = n->next()) {
    if (n->inputs().empty() || n->input(0) != dict->output()) continue;
    auto key = *keyOf(n->input(1));
    if (n->kind() == aten::_set_item) stored[key] = n->input(2);
    else if (n->kind() == aten::__getitem__ && !stored.count(key)) return false;
  }
  return true;
}

void lower(Node* dict, std::map<std::string, Value*> stored) {
  auto& graph = *dict->owningGraph();
  for (Node* n = dict->next(); n != dict->owningBlock()->return_node();) {
    Node* at = n;
    n = n->next();
    if (at->inputs().empty() || at->input(0) != dict->output()) continue;
    auto key = *keyOf(at->input(1));
    if (at->kind() == aten::_set_item) {
      stored[key] = at->input(2);
    } else if (at->kind() == aten::__getitem__) {
      at->output()->replaceAllUsesWith(stored.at(key));
    } else {
      jit::WithInsertPoint here(at);
      at->output()->replaceAllUsesWith(graph.insertConstant(stored.count(key) > 0));
    }
    at->destroy();
  }
  dict->destroy();
}

}  // namespace

void lowerDictionaries(jit::Graph& graph) {
  auto isDict = [](Node* n) {
    bool empty = n->kind() == aten::dict && n->inputs().empty();
    return n->kind() == prim::DictConstruct || empty;
  };
  for (Node* dict : nodesWhere(graph.block(), isDict)) {
    auto& uses = dict->output()->uses();
    bool known = std::all_of(uses.begin(), uses.end(),
                             [&](auto& use) { return isKnownUse(dict, use.user) && use.offset == 0; });
    auto stored = known ? initial(dict) : std::nullopt;
    if (stored && everyReadIsStored(dict, *stored)) lower(dict, *stored);
  }
}

}  // namespace kadvise::graph

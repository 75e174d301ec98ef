#include "analyzer/graph/table_nodes.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <optional>
#include <unordered_set>

#include "analyzer/graph/capture_pieces.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/node_facts.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/tensors.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;
using NodeSet = std::unordered_set<const Node*>;

bool readsFrom(Node* n, const NodeSet& nodes) {
  auto reads = readBy(n);
  return std::any_of(reads.begin(), reads.end(), [&](Value* v) { return nodes.count(v->node()) != 0; });
}

bool makesNumber(const Node* n) {
  return n->blocks().empty() && n->outputs().size() == 1 && !isTensor(n->output());
}

// Nodes outside of the list that numbers come from, though they read tensors of the list: they belong to it.
std::vector<Node*> withNumbersBetween(const std::vector<Node*>& nodes) {
  NodeSet inside(nodes.begin(), nodes.end());
  std::vector<Node*> out;
  for (Node* n = nodes.front(); n != nodes.back()->next(); n = n->next()) {
    if (makesNumber(n) && isPure(n) && readsFrom(n, inside)) inside.insert(n);
    if (inside.count(n)) out.push_back(n);
  }
  return out;
}

std::vector<Node*> withoutReturns(const std::vector<Node*>& nodes) {
  const NodeSet wanted(nodes.begin(), nodes.end());
  NodeSet inside, after;
  std::vector<Node*> out;
  for (Node* n = nodes.front(); n != nodes.back()->next(); n = n->next()) {
    bool waits = readsFrom(n, after);
    if (wanted.count(n) && !waits) {
      inside.insert(n);
      out.push_back(n);
    } else if (waits || readsFrom(n, inside)) {
      after.insert(n);
    }
  }
  return out;
}

// What is moved to another device is no view, though its schema says that it may be one.
bool costs(const Node* n) {
  return launches(n) || n->kind() == jit::aten::to || n->kind() == jit::aten::type_as;
}

bool isReadInside(Node* n, const NodeSet& inside) {
  auto outputs = n->outputs();
  return std::any_of(outputs.begin(), outputs.end(), [&](Value* v) {
    auto& uses = v->uses();
    return std::any_of(uses.begin(), uses.end(), [&](auto& use) { return inside.count(use.user) != 0; });
  });
}

// Views and numbers that only others read are cheaper made of the table than kept in it.
std::vector<Node*> withoutViewsForOthers(const std::vector<Node*>& nodes) {
  NodeSet inside(nodes.begin(), nodes.end());
  for (auto n = nodes.rbegin(); n != nodes.rend(); ++n) {
    if (costs(*n)) continue;
    if (!isReadInside(*n, inside)) inside.erase(*n);
  }
  std::vector<Node*> out;
  std::copy_if(nodes.begin(), nodes.end(), std::back_inserter(out), [&](Node* n) { return inside.count(n); });
  return out;
}

// Nobody of the nodes reads what it makes, which is no less than what it is made of.
bool widensAtTheEnd(Node* n, const NodeSet& inside, const TracedValues& traced) {
  if (isReadInside(n, inside)) return false;
  double made = 0, read = 0;
  for (Value* out : n->outputs())
    if (auto seen = tensorOf(out, traced)) made += bytesOf(*seen);
  for (auto* in : tensorInputs(n))
    if (auto seen = tensorOf(in, traced)) read += bytesOf(*seen);
  return made >= read && made > 0;
}

bool standsInLoop(const Node* n) {
  for (auto* owner = n->owningBlock()->owningNode(); owner; owner = owner->owningBlock()->owningNode())
    if (owner->kind() == prim::Loop) return true;
  return false;
}

// What stands between the first node and `last`, and reads some of the nodes.
NodeSet readersBefore(const std::vector<Node*>& nodes, const Node* last) {
  NodeSet inside(nodes.begin(), nodes.end()), out = inside;
  for (Node* n = nodes.front(); n != last; n = n->next())
    if (readsFrom(n, out)) out.insert(n);
  for (Node* n : nodes) out.erase(n);
  return out;
}

// The lists that hold the index, and what is indexed by them; nullopt where it has another use.
std::optional<std::vector<Node*>> indexedBy(Value* index, const std::vector<Node*>& nodes) {
  const NodeSet inside(nodes.begin(), nodes.end());
  auto* block = nodes.front()->owningBlock();
  auto isOwn = [&](Value* v) { return inside.count(v->node()) != 0 || isNone(v); };
  std::vector<Node*> out;
  for (auto& use : index->uses()) {
    if (inside.count(use.user)) continue;
    Node* list = use.user;
    if (list->kind() != prim::ListConstruct || list->owningBlock() != block ||
        !std::all_of(list->inputs().begin(), list->inputs().end(), isOwn))
      return std::nullopt;
    out.push_back(list);
    for (auto& reader : list->output()->uses()) {
      Node* user = reader.user;
      if (!indexes(user) || reader.offset != 1 || user->owningBlock() != block) return std::nullopt;
      out.push_back(user);
    }
  }
  return out;
}

}  // namespace

bool indexes(const Node* n) { return n->kind() == jit::aten::index; }

std::vector<Node*> withIndexed(const std::vector<Node*>& nodes) {
  std::vector<Node*> out = nodes;
  for (Value* v : resultsOfTable(nodes)) {
    if (!staysOnDefault(nodes, v)) continue;
    auto more = indexedBy(v, nodes);
    if (!more) return nodes;
    for (Node* n : *more)
      if (std::find(out.begin(), out.end(), n) == out.end()) out.push_back(n);
  }
  if (out.size() == nodes.size()) return out;
  sortByPlace(out);
  const auto readers = readersBefore(nodes, out.back());
  bool waits = std::any_of(out.begin(), out.end(),
                           [&](Node* n) { return indexes(n) && readers.count(n->input(0)->node()) != 0; });
  return waits ? nodes : out;
}

std::vector<Node*> nodesOfTable(const std::vector<Node*>& nodes) {
  return withoutViewsForOthers(withoutReturns(withNumbersBetween(nodes)));
}

std::vector<Value*> resultsOfTable(const std::vector<Node*>& nodes) {
  const NodeSet inside(nodes.begin(), nodes.end());
  auto isInside = [&](const jit::Use& use) { return inside.count(use.user) != 0; };
  std::vector<Value*> out;
  for (Node* n : nodes)
    for (Value* v : n->outputs())
      if (!std::all_of(v->uses().begin(), v->uses().end(), isInside)) out.push_back(v);
  auto end = std::find_if(out.begin(), out.end(), [&](Value* v) {
    return std::none_of(v->uses().begin(), v->uses().end(), isInside);
  });
  if (end != out.end()) std::rotate(out.begin(), end, end + 1);
  return out;
}

double bytesOfTable(const std::vector<Node*>& nodes, const TracedValues& traced) {
  double bytes = 0;
  for (Value* v : resultsOfTable(nodes))
    if (auto seen = tensorOf(v, traced)) bytes += bytesOf(*seen);
  return bytes;
}

std::vector<Node*> nodesWithin(const std::vector<Node*>& nodes, const TracedValues& traced,
                               double mostBytes) {
  auto left = nodes;
  while (bytesOfTable(left, traced) > mostBytes) {
    const NodeSet inside(left.begin(), left.end());
    auto fewer = left;
    std::erase_if(fewer, [&](Node* n) { return widensAtTheEnd(n, inside, traced); });
    if (fewer.size() == left.size()) return nodes;
    left = withoutViewsForOthers(fewer);
  }
  return left;
}

std::string whyNoTableHere(const std::vector<Node*>& nodes) {
  for (Node* n : nodes)
    if (n->owningBlock() != nodes.front()->owningBlock()) return "crosses an if or a loop";
  return standsInLoop(nodes.front()) ? "stands in a loop" : "";
}

bool choosesItsDevice(Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema) return false;  // a list
  bool takesTensor = std::any_of(n->inputs().begin(), n->inputs().end(), isTensor);
  Value* device = argumentNamed(n, "device");
  return !takesTensor && device && isNone(device);
}

std::string plainMakerOf(const Node* n) {
  constexpr std::string_view kLike[] = {"aten::new_zeros", "aten::new_ones", "aten::new_full"};
  return isOneOf(kLike, n) ? std::string(n->kind().toUnqualString()).substr(std::strlen("new_")) : "";
}

bool staysOnDefault(const std::vector<Node*>& nodes, Value* result) {
  const NodeSet inside(nodes.begin(), nodes.end());
  std::unordered_set<const Value*> seen;
  std::vector<Value*> behind = {result};
  bool isDefault = false;
  for (std::size_t i = 0; i < behind.size(); ++i) {
    Node* n = behind[i]->node();
    if (!seen.insert(behind[i]).second) continue;
    if (attributePath(behind[i])) return false;  // where the parameters are
    if (!inside.count(n)) continue;
    if (Value* device = argumentNamed(n, "device"); device && !isNone(device)) return false;
    isDefault = isDefault || choosesItsDevice(n);
    if (indexes(n)) {
      behind.push_back(n->input(0));
      continue;
    }
    for (Value* in : n->inputs())
      if (isTensor(in) || in->type()->kind() == c10::TypeKind::ListType) behind.push_back(in);
  }
  return isDefault;
}

}  // namespace kadvise::graph

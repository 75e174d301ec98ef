#include "analyzer/graph/filled_lists.h"

#include <algorithm>
#include <optional>
#include <set>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;
namespace aten = torch::jit::aten;
namespace prim = torch::jit::prim;

constexpr std::int64_t kMostTurns = 8;  // dimensions of a tensor, not steps of a sequence

bool isWrite(const torch::jit::Use& use) {
  auto* schema = use.user->maybeSchema();
  if (!schema || use.offset >= schema->arguments().size()) return false;
  auto* alias = schema->arguments()[use.offset].alias_info();
  return alias && alias->isWrite();
}

std::optional<std::int64_t> turnsOf(Node* loop) {
  if (loop->kind() != prim::Loop || !loop->outputs().empty()) return std::nullopt;
  auto turns = constantInt(loop->input(0));
  auto isTrue = [](Value* v) {
    auto value = torch::jit::toIValue(v);
    return value && value->isBool() && value->toBool();
  };
  bool runsThem = isTrue(loop->input(1)) && isTrue(loop->blocks()[0]->outputs()[0]);
  return runsThem && turns && *turns >= 0 && *turns <= kMostTurns ? turns : std::nullopt;
}

// The only thing that the loop does; none where it does more.
Node* appendOf(Node* loop) {
  Node* only = nullptr;
  for (Node* n : loop->blocks()[0]->nodes()) {
    if (n->kind() == prim::Constant) continue;
    if (only || n->kind() != aten::append || n->output()->hasUses()) return nullptr;
    only = n;
  }
  return only;
}

// Reads the list behind the loop, which nobody has seen before.
bool readsBehind(const torch::jit::Use& use, Node* loop) {
  if (isWrite(use)) return false;
  Node* n = holderIn(loop->owningBlock(), use.user);
  return n && (n->kind() == prim::Return || n->isAfter(loop));
}

void makeAtOnce(Node* loop) {
  auto turns = turnsOf(loop);
  Node* append = turns ? appendOf(loop) : nullptr;
  if (!append) return;
  Value *list = append->input(0), *element = append->input(1);
  Node* first = list->node();
  if (first->kind() != prim::ListConstruct || first->owningBlock() != loop->owningBlock()) return;
  auto constant = torch::jit::toIValue(element);
  if (!constant && element->node()->owningBlock() == loop->blocks()[0]) return;
  bool isReadBehind = std::all_of(list->uses().begin(), list->uses().end(),
                                  [&](auto& use) { return use.user == append || readsBehind(use, loop); });
  if (!isReadBehind) return;

  auto& graph = *loop->owningGraph();
  std::vector<Value*> elements(first->inputs().begin(), first->inputs().end());
  if (constant) element = constantOf(graph, *constant);
  elements.insert(elements.end(), static_cast<std::size_t>(*turns), element);
  Node* whole = graph.create(prim::ListConstruct, elements)->insertBefore(loop);
  whole->setSourceRange(loop->sourceRange());  // not that of the first: it was traced as it was made, empty
  whole->output()->setType(list->type());
  loop->destroy();
  list->replaceAllUsesWith(whole->output());
  first->destroy();
}

}  // namespace

bool isFilledList(const torch::jit::Value* v) {
  return v->node()->kind() == prim::ListConstruct && std::any_of(v->uses().begin(), v->uses().end(), isWrite);
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
    bool isFilled = n->kind() == prim::ListConstruct &&
                    std::any_of(n->output()->uses().begin(), n->output()->uses().end(),
                                [&](auto& use) { return isWrite(use) && !isInside(use.user); });
    if (!isFilled) out.push_back(n);
  }
  return out;
}

void makeFilledListsAtOnce(torch::jit::Graph& graph) {
  for (Node* loop : nodesWhere(graph.block(), [](Node* n) { return n->kind() == prim::Loop; }))
    makeAtOnce(loop);
}

}  // namespace kadvise::graph

#include "analyzer/graph/grown_lists.h"

#include <algorithm>
#include <optional>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

const c10::Symbol kAppend = aten::append, kPop = c10::Symbol::fromQualString("aten::pop"),
                  kSetItem = aten::_set_item;

// What reads the elements and holds the list no longer than that: others may put it into a container.
constexpr std::string_view kReaders[] = {
    "aten::cat",    "aten::concat", "aten::concatenate", "aten::stack",       "aten::hstack",
    "aten::vstack", "aten::dstack", "aten::len",         "aten::__getitem__", "prim::ListUnpack"};

bool isReader(const jit::Use& use) { return use.offset == 0 && isOneOf(kReaders, use.user); }

// A writer stands in the list's own block, and what append and _set_item return nobody reads.
bool isWriter(const jit::Use& use, const Node* list) {
  const Node* n = use.user;
  bool isOne = n->kind() == kAppend || n->kind() == kPop || n->kind() == kSetItem;
  return isOne && use.offset == 0 && n->owningBlock() == list->owningBlock() &&
         (n->kind() == kPop || std::all_of(n->outputs().begin(), n->outputs().end(),
                                           [](const Value* out) { return !out->hasUses(); }));
}

// The node of the list's block that holds the user.
Node* placeIn(jit::Block* block, Node* n) {
  while (n->owningBlock() != block) n = n->owningBlock()->owningNode();
  return n;
}

std::vector<jit::Use> inOrder(const Node* list) {
  auto* block = const_cast<Node*>(list)->owningBlock();
  std::vector<jit::Use> uses = list->output()->uses();
  std::stable_sort(uses.begin(), uses.end(), [&](auto& a, auto& b) {
    Node *first = placeIn(block, a.user), *second = placeIn(block, b.user);
    return first != second && first->isBefore(second);
  });
  return uses;
}

std::optional<std::size_t> placeOf(Value* index, std::size_t size) {
  auto i = constantInt(index);
  auto n = static_cast<std::int64_t>(size);
  if (!i || *i < -n || *i >= n) return std::nullopt;
  return static_cast<std::size_t>(*i < 0 ? *i + n : *i);
}

using Elements = std::vector<Value*>;

// False where it is not known what it changes, or where it raises an error.
bool write(Node* n, Elements& elements) {
  if (n->kind() == kAppend) return elements.push_back(n->input(1)), true;
  auto at = placeOf(n->input(1), elements.size());
  if (!at) return false;
  if (n->kind() == kSetItem) elements[*at] = n->input(2);
  else elements.erase(elements.begin() + static_cast<std::ptrdiff_t>(*at));
  return true;
}

bool canSettle(Node* list, const std::vector<jit::Use>& uses) {
  auto writes = [&](auto& use) { return isWriter(use, list); };
  bool isKnown =
      std::all_of(uses.begin(), uses.end(), [&](auto& use) { return writes(use) || isReader(use); });
  if (!isKnown || std::none_of(uses.begin(), uses.end(), writes)) return false;
  Elements elements = list->inputs().vec();
  return std::all_of(uses.begin(), uses.end(),
                     [&](auto& use) { return !writes(use) || write(use.user, elements); });
}

Value* listOf(const Elements& elements, Node* list, Node* reader) {
  Node* made = list->owningGraph()->create(prim::ListConstruct, elements);
  made->output()->setType(list->output()->type());
  made->setSourceRange(reader->sourceRange());
  return made->insertBefore(reader)->output();
}

void settle(Node* list, const std::vector<jit::Use>& uses) {
  Elements elements = list->inputs().vec();
  for (auto& use : uses) {
    Node* n = use.user;
    if (!isWriter(use, list)) {
      n->replaceInput(use.offset, listOf(elements, list, n));
      continue;
    }
    if (n->kind() == kPop) n->output()->replaceAllUsesWith(elements[*placeOf(n->input(1), elements.size())]);
    write(n, elements);
    n->destroy();
  }
  list->destroy();
}

}  // namespace

void settleGrownLists(jit::Graph& graph) {
  std::vector<Node*> lists;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() == prim::ListConstruct) lists.push_back(n);
  });
  for (Node* list : lists)
    if (auto uses = inOrder(list); canSettle(list, uses)) settle(list, uses);
}

}  // namespace kadvise::graph

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

// Whether something writes to it, and nothing else does but read.
bool isGrown(const Node* list) {
  auto& uses = list->output()->uses();
  auto writes = [&](auto& use) { return isWriter(use, list); };
  return std::any_of(uses.begin(), uses.end(), writes) &&
         std::all_of(uses.begin(), uses.end(), [&](auto& use) { return writes(use) || isReader(use); });
}

std::vector<jit::Use> usesInOrder(const Node* list) {
  std::vector<jit::Use> uses = list->output()->uses();
  std::stable_sort(uses.begin(), uses.end(), [&](auto& a, auto& b) {
    Node *first = holderIn(list->owningBlock(), a.user), *second = holderIn(list->owningBlock(), b.user);
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

bool isKnownThroughout(Node* list, const std::vector<jit::Use>& uses) {
  Elements elements = list->inputs().vec();
  return std::all_of(uses.begin(), uses.end(),
                     [&](auto& use) { return !isWriter(use, list) || write(use.user, elements); });
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
  for (Node* list : nodesWhere(graph.block(), [](Node* n) { return n->kind() == prim::ListConstruct; })) {
    if (!isGrown(list)) continue;
    if (auto uses = usesInOrder(list); isKnownThroughout(list, uses)) settle(list, uses);
  }
}

}  // namespace kadvise::graph

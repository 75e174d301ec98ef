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
                  kSetItem = aten::_set_item, kCopy = aten::copy;

// What reads the elements and holds the list no longer than that: others may put it into a container.
constexpr std::string_view kReaders[] = {
    "aten::cat",    "aten::concat", "aten::concatenate", "aten::stack",       "aten::hstack",    "aten::sum",
    "aten::vstack", "aten::dstack", "aten::len",         "aten::__getitem__", "prim::ListUnpack"};

bool isReader(const jit::Use& use) { return use.offset == 0 && isOneOf(kReaders, use.user); }

bool isReached(const Node* writer, const Node* list) {
  const jit::Block* block = writer->owningBlock();
  while (block != list->owningBlock() && block->owningNode() && block->owningNode()->kind() == prim::If)
    block = block->owningNode()->owningBlock();
  return block == list->owningBlock();
}

// A writer stands in the list's own block or in branches there, and what append and _set_item return nobody
// reads.
bool isWriter(const jit::Use& use, const Node* list) {
  const Node* n = use.user;
  bool isOne = n->kind() == kAppend || n->kind() == kPop || n->kind() == kSetItem;
  return isOne && use.offset == 0 && isReached(n, list) &&
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

using Uses = std::vector<jit::Use>;

Uses inOrder(Uses uses, const jit::Block* block) {
  std::stable_sort(uses.begin(), uses.end(), [&](auto& a, auto& b) {
    Node *first = holderIn(block, a.user), *second = holderIn(block, b.user);
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

Value* listOf(const Elements& elements, Node* list, Node* reader) {
  Node* made = list->owningGraph()->create(prim::ListConstruct, elements);
  made->output()->setType(list->output()->type());
  made->setSourceRange(reader->sourceRange());
  return made->insertBefore(reader)->output();
}

// The list as it is along its uses: in a first walk only whether that is known, in a second one the readers
// get it.
class Walk {
 public:
  Walk(Node* list, bool changes) : list_(list), changes_(changes) {}

  bool along(const Uses& uses, const jit::Block* block, Elements& elements) {
    const Uses ordered = inOrder(uses, block);
    for (auto use = ordered.begin(); use != ordered.end();) {
      Node* holder = holderIn(block, use->user);
      auto end = std::find_if(use, ordered.end(),
                              [&](auto& other) { return holderIn(block, other.user) != holder; });
      const Uses held(use, end);
      bool branches = holder != use->user &&
                      std::any_of(held.begin(), held.end(), [&](auto& one) { return isWriter(one, list_); });
      if (branches ? !throughBranches(holder, held, elements) : !at(held, elements)) return false;
      use = end;
    }
    return true;
  }

 private:
  bool at(const Uses& uses, Elements& elements) {
    return std::all_of(uses.begin(), uses.end(), [&](const jit::Use& use) {
      Node* n = use.user;
      if (!isWriter(use, list_)) {
        if (changes_) n->replaceInput(use.offset, listOf(elements, list_, n));
        return true;
      }
      Value* taken =
          n->kind() == kPop && changes_ ? elements[*placeOf(n->input(1), elements.size())] : nullptr;
      if (!write(n, elements)) return false;
      if (taken) n->output()->replaceAllUsesWith(taken);
      if (changes_) n->destroy();
      return true;
    });
  }

  bool throughBranches(Node* branch, Uses uses, Elements& elements) {
    // Taken apart first: a writer goes away when it has been followed.
    const auto second = std::stable_partition(uses.begin(), uses.end(), [&](auto& use) {
      return holderIn(branch->blocks()[0], use.user) != nullptr;
    });
    const Uses inside[] = {Uses(uses.begin(), second), Uses(second, uses.end())};
    Elements after[] = {elements, elements};
    for (std::size_t i = 0; i < 2; ++i)
      if (!along(inside[i], branch->blocks()[i], after[i])) return false;
    if (after[0].size() != after[1].size()) return false;
    elements = after[0];
    if (!changes_) return true;
    for (std::size_t i = 0; i < elements.size(); ++i) elements[i] = chosen(branch, after[0][i], after[1][i]);
    return true;
  }

  Value* chosen(Node* branch, Value* a, Value* b) {
    if (a == b) return a;
    if (auto same = constantInt(a); same && same == constantInt(b)) {
      jit::WithInsertPoint at(branch);
      return branch->owningGraph()->insertConstant(*same);
    }
    branch->blocks()[0]->registerOutput(a);
    branch->blocks()[1]->registerOutput(b);
    return branch->addOutput()->setType(list_->output()->type()->expectRef<c10::ListType>().getElementType());
  }

  Node* list_;
  bool changes_;
};

// A copy of a list of numbers that the module holds, which forward then changes.
void unfoldCopies(jit::Graph& graph) {
  for (Node* copy : nodesWhere(graph.block(), [](Node* n) { return n->kind() == kCopy; })) {
    auto held = jit::toIValue(copy->input(0));
    if (!held || !held->isIntList()) continue;
    jit::WithInsertPoint at(copy);
    Elements elements;
    for (std::int64_t number : held->toIntVector()) elements.push_back(graph.insertConstant(number));
    copy->output()->replaceAllUsesWith(listOf(elements, copy, copy));
    copy->destroy();
  }
}

}  // namespace

void settleGrownLists(jit::Graph& graph) {
  unfoldCopies(graph);
  for (Node* list : nodesWhere(graph.block(), [](Node* n) { return n->kind() == prim::ListConstruct; })) {
    if (!isGrown(list)) continue;
    const Uses uses = list->output()->uses();
    Elements elements = list->inputs().vec();
    if (!Walk(list, /*changes=*/false).along(uses, list->owningBlock(), elements)) continue;
    elements = list->inputs().vec();
    Walk(list, /*changes=*/true).along(uses, list->owningBlock(), elements);
    list->destroy();
  }
}

}  // namespace kadvise::graph

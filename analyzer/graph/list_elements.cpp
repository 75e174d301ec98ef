#include "analyzer/graph/list_elements.h"

#include "analyzer/graph/operator_traits.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;

bool isListOfSizes(Value* v) { return v->node()->kind() == aten::size && v->node()->inputs().size() == 1; }

bool isListOfPieces(Value* v) { return has(v->node(), OperatorTrait::Pieces); }

// As many tensors as it was given: the unpacking asks for no other number.
bool isListOfBroadcast(const Step& s, Node* unpack) {
  Node* made = unpack->input()->node();
  if (made->kind() != aten::broadcast_tensors || s.aliases.hasWriters(unpack->input())) return false;
  Node* given = made->input(0)->node();
  return given->kind() == jit::prim::ListConstruct && !s.aliases.hasWriters(given->output()) &&
         given->inputs().size() == unpack->outputs().size();
}

// The size of one dimension, taken where the list of sizes was: x may change its shape in place later.
Node* sizeAt(const Step& s, Value* sizes, Value* index) {
  Node* list = sizes->node();
  if (auto constant = constantInt(index)) index = s.constant(list, *constant);
  return s.insert(list, aten::size, {list->input(), index});
}

// x.shape and the first of it that a list is unpacked to, which may be a part of it; null for any other list.
std::pair<Value*, std::int64_t> sizesUnpacked(const Step& s, Node* unpack) {
  Value* list = unpack->input();
  if (s.aliases.hasWriters(list)) return {};
  if (isListOfSizes(list)) return {list, 0};
  Node* part = list->node();
  bool isPart = part->kind() == aten::slice && part->inputs().size() == 4 && isListOfSizes(part->input(0)) &&
                !s.aliases.hasWriters(part->input(0)) && constantInt(part->input(3)) == 1;
  if (!isPart) return {};
  auto first = isNone(part->input(1)) ? 0 : constantInt(part->input(1));
  if (first && *first >= 0) return {part->input(0), *first};
  // From the end: of fewer dimensions the list is cut at its beginning, and its first is another one.
  auto last = isNone(part->input(2)) ? 0 : constantInt(part->input(2));
  bool isFromEnd = last && (*last < 0 || isNone(part->input(2)));
  if (!first || !isFromEnd || *last - *first != std::ssize(unpack->outputs())) return {};
  return {part->input(0), *first};
}

// x.shape[1]  ->  size(x, 1)
void indexOfSizes(const Step& s, Node* n) {
  if (!isListOfSizes(n->input(0)) || !constantInt(n->input(1)) || s.aliases.hasWriters(n->input(0))) return;
  s.replace(n, sizeAt(s, n->input(0), n->input(1))->output());
}

// unbind(x, d)[i]  ->  select(x, d, i)
void elementOfUnbind(const Step& s, Node* n) {
  Node* list = n->input(0)->node();
  auto index = constantInt(n->input(1));
  if (list->kind() != aten::unbind || !index || list->inputs().size() != 2 || !s.onlyRead(list)) return;
  s.replace(n, s.insert(n, aten::select, {list->input(0), list->input(1), n->input(1)})->output());
}

}  // namespace

void unpackByIndex(const Step& s, Node* n) {
  const auto [sizes, first] = sizesUnpacked(s, n);
  if (!sizes && !isListOfPieces(n->input()) && !isListOfBroadcast(s, n)) return;
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    Value* index = s.constant(n, first + static_cast<std::int64_t>(i));
    Node* item = sizes ? sizeAt(s, sizes, index) : s.insert(n, aten::__getitem__, {n->input(), index});
    item->output()->setType(n->output(i)->type());
    n->output(i)->replaceAllUsesWith(item->output());
  }
  s.dead.push_back(n);
}

void elementOfList(const Step& s, Node* n) {
  indexOfSizes(s, n);
  if (n->hasUses()) elementOfUnbind(s, n);
}

}  // namespace kadvise::graph

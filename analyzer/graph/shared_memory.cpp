#include "analyzer/graph/shared_memory.h"

#include <algorithm>
#include <set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Use;
using jit::Value;
namespace prim = jit::prim;

using Values = std::vector<const Value*>;
using ValueSet = std::set<const Value*>;

bool isReturnOfForward(const Node* n) { return n->kind() == prim::Return && !n->owningBlock()->owningNode(); }

bool mayHold(const Node* user, const Value* v, const Value* out) {
  if (!holdsTensors(out->type())) return false;
  if (!user->maybeSchema()) return true;
  return isTensor(v) && isTensor(out) ? mayView(out) == v : !isFresh(out);
}

// An element put into a list or a dictionary: whoever holds that holds the element.
const Value* containerTakes(const Use& use) {
  auto* schema = use.user->maybeSchema();
  if (!schema || !schema->is_mutable() || use.offset == 0 || isTensor(use.user->inputs()[0])) return nullptr;
  return use.user->inputs()[0];
}

// Where the value's memory may come from, one step back: the whole of a view, what a block hands out or takes
// in, what a container holds.
Values sourcesOf(const Value* v) {
  if (const Value* whole = mayView(v)) return {whole};
  const Node* n = v->node();
  if (n->kind() == prim::If)
    return {n->blocks()[0]->outputs()[v->offset()], n->blocks()[1]->outputs()[v->offset()]};
  if (n->kind() == prim::Loop)
    return {n->inputs()[v->offset() + 2], n->blocks()[0]->outputs()[v->offset() + 1]};
  if (n->kind() == prim::Param) {
    const Node* owner = n->owningBlock()->owningNode();
    bool carried = owner && owner->kind() == prim::Loop && v->offset() > 0;
    return carried ? Values{owner->inputs()[v->offset() + 1], n->owningBlock()->outputs()[v->offset()]}
                   : Values{};
  }
  Values out;
  bool described = n->maybeSchema() && isTensor(v) && (n->inputs().empty() || isTensor(n->inputs()[0]));
  for (auto* in : n->inputs())
    if (!described && holdsTensors(in->type())) out.push_back(in);
  return out;
}

template <class Next>
ValueSet closure(Values open, const Next& next) {
  ValueSet seen;
  while (!open.empty()) {
    const Value* v = open.back();
    open.pop_back();
    if (!seen.insert(v).second) continue;
    for (auto* other : next(v)) open.push_back(other);
  }
  return seen;
}

// All values that may hold the memory of one of these, but for what `without` makes of it.
ValueSet holdersOf(const ValueSet& values, const Node* without) {
  return closure({values.begin(), values.end()}, [without](const Value* v) {
    Values out;
    for (auto& use : v->uses())
      if (use.user != without)
        for (auto* held : heldBy(use, v)) out.push_back(held);
    return out;
  });
}

bool handsOnOnly(const Node* user, const ValueSet& holders) {
  auto* schema = user->maybeSchema();
  if (user->kind() == prim::Return || !user->blocks().empty()) return !isReturnOfForward(user);
  if (user->outputs().empty() || (schema && schema->is_mutable())) return false;
  return std::all_of(user->outputs().begin(), user->outputs().end(),
                     [&](const Value* out) { return holders.count(out) != 0; });
}

// A use that looks at the numbers in the memory, or gives it to somebody who may.
bool readsNumbers(const Use& use, const ValueSet& holders) {
  if (asksAboutTensors(use.user)) return false;
  return !handsOnOnly(use.user, holders);
}

template <class Counts>
bool anyUse(const ValueSet& holders, const Counts& counts) {
  return std::any_of(holders.begin(), holders.end(),
                     [&](const Value* v) { return std::any_of(v->uses().begin(), v->uses().end(), counts); });
}

bool writes(const Use& use) {
  auto* schema = use.user->maybeSchema();
  if (!schema || use.offset >= schema->arguments().size()) return false;
  auto* argument = schema->arguments()[use.offset].alias_info();
  return argument && argument->isWrite() && isTensor(use.user->inputs()[use.offset]);
}

// Out of forward, or to where nobody knows what becomes of it.
bool leaves(const Use& use) {
  auto kind = use.user->kind();
  return isReturnOfForward(use.user) || kind == prim::SetAttr || kind == prim::CallFunction ||
         kind == prim::CallMethod || kind == prim::fork || kind == prim::PythonOp;
}

// Something is written to the one after `from` that is read from the other later on.
bool writtenAndRead(const ValueSet& written, const ValueSet& read, const Node* from) {
  const Node* start = outermostLoop(from);
  return anyUse(written, [&](const Use& write) {
    if (!writes(write) || (write.user != start && write.user->isBefore(start))) return false;
    const Node* since = outermostLoop(write.user);
    return anyUse(read, [&](const Use& use) {
      bool itself = use.user == write.user && use.offset == write.offset;
      return !itself && !use.user->isBefore(since) && readsNumbers(use, read);
    });
  });
}

}  // namespace

Values acrossBlocks(const Use& use) {
  Node* user = use.user;
  if (user->kind() == prim::Loop)
    return use.offset < 2 ? Values{}
                          : Values{user->blocks()[0]->inputs()[use.offset - 1], user->output(use.offset - 2)};
  if (user->kind() != prim::Return || isReturnOfForward(user)) return {};
  Node* owner = user->owningBlock()->owningNode();
  if (owner->kind() == prim::If) return {owner->output(use.offset)};
  if (owner->kind() != prim::Loop) return {owner->outputs().begin(), owner->outputs().end()};
  return use.offset == 0 ? Values{}
                         : Values{user->owningBlock()->inputs()[use.offset], owner->output(use.offset - 1)};
}

Values heldBy(const Use& use, const Value* tensor) {
  Values out = acrossBlocks(use);
  if (!use.user->blocks().empty()) return out;
  if (auto* container = containerTakes(use)) out.push_back(container);
  for (auto* made : use.user->outputs())
    if (mayHold(use.user, tensor, made)) out.push_back(made);
  return out;
}

// `to` copies by dtype and device, unless it is asked for another layout.
bool copiesByStrides(const Node* n) {
  if (!has(n, OperatorTrait::PerhapsCopy)) return false;
  if (n->kind() != jit::aten::to && n->kind() != jit::aten::type_as) return true;
  Value* format = argumentNamed(n, "memory_format");
  return format && !isNone(format) &&
         constantInt(format) != static_cast<std::int64_t>(at::MemoryFormat::Preserve);
}

bool showsWhetherItCopied(const Node* n) {
  ValueSet result = holdersOf({n->outputs()[0]}, nullptr);
  ValueSet operand = holdersOf(closure({n->inputs()[0]}, sourcesOf), n);
  if (anyUse(result, leaves) && anyUse(operand, leaves)) return true;
  return writtenAndRead(result, operand, n) || writtenAndRead(operand, result, n);
}

}  // namespace kadvise::graph

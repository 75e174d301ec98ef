#include "analyzer/graph/aliases.h"

#include <algorithm>
#include <set>
#include <string_view>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

// Dropout in evaluation, type_as of the same type, a cast that changes nothing.
bool mayReturnFirst(const Node* n) {
  return std::string_view(n->kind().toQualString()).substr(0, 11) == "aten::_cast" ||
         has(n, OperatorTrait::PerhapsFirst);
}

// einsum("ij->ji", x) may be x transposed; nullptr for more operands, whose product is new.
const Value* onlyOperand(const Node* einsum) {
  const Node* list = einsum->inputs()[1]->node();
  bool one = list->kind() != jit::prim::ListConstruct || list->inputs().size() == 1;
  return !one ? nullptr : list->inputs().empty() ? einsum->inputs()[1] : list->inputs()[0];
}

// A list that nobody changes or hands on: what is read from it is what was put into it.
bool isPlainList(const Value* list) {
  return std::all_of(list->uses().begin(), list->uses().end(), [](const jit::Use& use) {
    if (use.user->kind() == jit::prim::ListUnpack) return true;
    auto* schema = use.user->maybeSchema();
    return use.user->kind() == jit::aten::__getitem__ || (schema && use.offset < schema->arguments().size() &&
                                                          !schema->arguments()[use.offset].alias_info());
  });
}

// The tensor whose pieces chunk, split and the like made a list of, which has no others.
const Value* partedInto(const Value* list) {
  const Node* maker = list->node();
  return has(maker, OperatorTrait::Pieces) && isPlainList(list) ? maker->inputs()[0] : nullptr;
}

// The tensor that such a list made the value a piece of.
const Value* piecedBy(const Value* v) {
  const Node* n = v->node();
  bool read = n->kind() == jit::prim::ListUnpack || n->kind() == jit::aten::__getitem__;
  return read ? partedInto(n->inputs()[0]) : nullptr;
}

}  // namespace

const Value* mayView(const Value* v) {
  if (const Value* whole = piecedBy(v)) return whole;
  const Node* n = v->node();
  if (mayReturnFirst(n)) return n->inputs()[0];
  if (n->kind() == jit::aten::einsum) return onlyOperand(n);
  return viewedBySchema(v);
}

bool isFresh(const Value* v) {
  const Node* n = v->node();
  auto* schema = n->maybeSchema();
  bool described = schema && (n->kind().is_aten() || has(n, OperatorTrait::NewMemory)) &&
                   n->blocks().empty() && v->offset() < schema->returns().size();
  return described && isTensor(v) && !schema->returns()[v->offset()].alias_info() && !mayView(v);
}

namespace {

// Was there before forward made anything: its arguments, constants, and the attributes that it does not
// assign.
bool isOlder(const Value* v, const std::set<std::string>& assigned) {
  const Node* n = v->node();
  if (n->kind() == jit::prim::Constant) return true;
  if (n->kind() == jit::prim::GetAttr) return !assigned.count(n->s(jit::attr::name));
  return n->kind() == jit::prim::Param && n->owningBlock() == n->owningGraph()->block();
}

// Their first argument is a list or a dictionary, and what they change is which elements it has.
constexpr std::string_view kChangesContainer[] = {
    "aten::append", "aten::_set_item", "aten::insert", "aten::extend",  "aten::pop",
    "aten::clear",  "aten::Delete",    "aten::remove", "aten::popitem", "aten::setdefault",
    "aten::update", "aten::reverse",   "aten::sort"};

bool changesContainer(const Node* n) {
  if (n->inputs().empty() || isTensor(n->inputs()[0])) return false;
  return isOneOf(kChangesContainer, n);
}

// One of ours, whose results are new tensors as its schema says, lists of them, too.
bool isOwnOperator(const Node* n) {
  auto* schema = n->maybeSchema();
  return schema && std::string_view(n->kind().toQualString()).starts_with("kadvise::") &&
         std::none_of(schema->returns().begin(), schema->returns().end(),
                      [](const c10::Argument& a) { return a.alias_info(); });
}

// A list that is read and forgotten: the indices of x[i, j], the operands of cat.
bool isOnlyRead(const Value* list) {
  return std::all_of(list->uses().begin(), list->uses().end(), [](const jit::Use& use) {
    auto* schema = use.user->maybeSchema();
    if (!schema || use.offset >= schema->arguments().size() || schema->arguments()[use.offset].alias_info())
      return false;
    return isOwnOperator(use.user) ||
           std::all_of(use.user->outputs().begin(), use.user->outputs().end(), isFresh);
  });
}

}  // namespace

bool isOwn(const Value* v) {
  std::set<const Value*> seen;
  std::vector<const Value*> open{v};
  while (!open.empty()) {
    const Value* view = open.back();
    open.pop_back();
    if (!seen.insert(view).second) continue;
    for (auto& use : view->uses()) {
      auto* schema = use.user->maybeSchema();
      if (use.user->kind() == jit::prim::ListConstruct && isOnlyRead(use.user->output())) continue;
      if (has(use.user, OperatorTrait::Pieces) && isPlainList(use.user->output())) {
        for (auto& piece : use.user->output()->uses())
          for (auto* out : piece.user->outputs())
            if (piecedBy(out) == view) open.push_back(out);
        continue;
      }
      if (!schema || use.offset >= schema->arguments().size() || !use.user->blocks().empty()) return false;
      auto* argument = schema->arguments()[use.offset].alias_info();
      if (argument && argument->isWildcardAfter()) return false;
      for (auto* out : use.user->outputs())
        if (mayView(out) == view) open.push_back(out);
    }
  }
  return true;
}

namespace {

// May write to whatever it can reach.
bool isOpaque(const Node* n) {
  auto k = n->kind();
  bool call = k == jit::prim::CallFunction || k == jit::prim::CallMethod || k == jit::prim::fork ||
              k == jit::prim::PythonOp;
  auto* op = call ? nullptr : n->maybeOperator();
  return call || (op && op->aliasAnalysisKind() == c10::AliasAnalysisKind::CONSERVATIVE);
}

// Two reads of one attribute are one memory.
bool isSameAllocation(const Value* a, const Value* b) {
  if (a == b) return true;
  if (a->node()->kind() != jit::prim::GetAttr || b->node()->kind() != jit::prim::GetAttr) return false;
  auto path = attributePath(const_cast<Value*>(a));
  return path && path == attributePath(const_cast<Value*>(b));
}

}  // namespace

bool assignsOwnAttribute(const Node* n) {
  if (n->kind() != jit::prim::SetAttr) return false;
  const Value* object = n->input(0);
  while (object->node()->kind() == jit::prim::GetAttr) object = object->node()->input();
  return object->node()->kind() != jit::prim::CreateObject;
}

bool isAssigned(const Value* attribute) {
  const Node* read = attribute->node();
  if (read->kind() != jit::prim::GetAttr) return false;
  bool found = false;
  forEachNode(const_cast<jit::Graph*>(read->owningGraph())->block(), [&](Node* n) {
    found = found || (assignsOwnAttribute(n) && n->s(jit::attr::name) == read->s(jit::attr::name));
  });
  return found;
}

Aliases::Aliases(const std::shared_ptr<jit::Graph>& graph, bool isFrozen, const jit::Module* module)
    : jit::AliasDb(graph, isFrozen), module_(module) {
  forEachNode(graph->block(), [&](Node* n) {
    if (assignsOwnAttribute(n)) assigned_.insert(n->s(jit::attr::name));
    if (isOpaque(n)) writes_.push_back({n, nullptr, false});
    if (updatesStatistics(n))
      for (std::size_t i : kStatistics) writes_.push_back({n, allocationOf(n->input(i)), false});
    auto* schema = n->maybeSchema();
    if (!schema || !schema->is_mutable() || changesContainer(n)) return;
    for (std::size_t i = 0; i < schema->arguments().size() && i < n->inputs().size(); ++i) {
      auto* argument = schema->arguments()[i].alias_info();
      if (!argument || !argument->isWrite()) continue;
      const Value* allocation = allocationOf(n->input(i));
      writes_.push_back({n, allocation, isFresh(allocation) && isOwn(allocation)});
    }
  });
  for (Write& w : writes_)
    if (w.allocation) w.storage = storageOf(w.allocation);
}

void Aliases::standIn(const Value* made, const Value* old) {
  for (const Value* v = old; v; v = mayView(originalOf(v)))
    if (originalOf(v) == originalOf(made)) return;  // a view of what was made is replaced by it
  standsFor_.emplace(made, old);
}

const Value* Aliases::originalOf(const Value* v) const {
  for (auto at = standsFor_.find(v); at != standsFor_.end(); at = standsFor_.find(v)) v = at->second;
  return v;
}

const Value* Aliases::allocationOf(const Value* v) const {
  v = originalOf(v);
  while (const Value* viewed = mayView(v)) v = originalOf(viewed);
  return v;
}

bool Aliases::hasWriters(const Value* v) const {
  return anyWrite(v, [](const Node*) { return true; });
}

bool Aliases::hasWritersFrom(const Value* v, const Node* first) const {
  return anyWrite(v, [from = outermostLoop(first)](const Node* writer) {
    return writer == from || !writer->isBefore(from);
  });
}

bool Aliases::hasWritersUntil(const Value* v, const Node* last, const std::set<const Node*>& but) const {
  auto counts = [&](const Node* w) { return !but.count(w) && (w == last || w->isBefore(last)); };
  return anyWrite(v, counts);
}

const Value* Aliases::otherWrittenFrom(const Value* v, const Node* first) const {
  const Value *mine = allocationOf(v), *other = nullptr;
  bool isMine = false;
  findWrite(v, [&, from = outermostLoop(first)](const Write& w) {
    if (w.node != from && w.node->isBefore(from)) return false;
    isMine = isMine || !w.allocation || isSameAllocation(w.allocation, mine);
    if (!other) other = w.allocation;
    return isMine;
  });
  return isMine ? nullptr : other;
}

template <class Counts>
bool Aliases::anyWrite(const Value* v, const Counts& counts) const {
  if (!isTensor(v)) {
    if (const Value* whole = partedInto(v)) return anyWrite(whole, counts);
    return jit::AliasDb::hasWriters(originalOf(v));  // a list: its elements may change, or which it has
  }
  return findWrite(v, [&](const Write& w) { return counts(w.node); });
}

template <class Counts>
bool Aliases::findWrite(const Value* v, const Counts& counts) const {
  const Value* mine = allocationOf(v);
  bool perhaps = jit::AliasDb::hasWriters(originalOf(v)) || jit::AliasDb::hasWriters(mine);
  const void* storage = writes_.empty() ? nullptr : storageOf(mine);
  return std::any_of(writes_.begin(), writes_.end(), [&](const Write& w) {
    return (perhaps || isOverlooked(mine, w)) && mayShare(mine, storage, w) && counts(w);
  });
}

// The base class believes the schemas, and follows what a loop carries for one round only.
bool Aliases::isOverlooked(const Value* mine, const Write& w) {
  if (!w.allocation) return false;
  bool carried = w.allocation->node()->kind() == jit::prim::Param && w.node->owningBlock()->owningNode();
  return isSameAllocation(w.allocation, mine) || carried;
}

// nullptr where it is not known, or another tensor may have been assigned since.
const void* Aliases::storageOf(const Value* attribute) const {
  const Node* n = attribute->node();
  if (!module_ || n->kind() != jit::prim::GetAttr || assigned_.count(n->s(jit::attr::name))) return nullptr;
  auto path = attributePath(const_cast<Value*>(attribute));
  if (!path) return nullptr;
  auto value = attributeAt(*module_, *path);
  bool stored = value.isTensor() && value.toTensor().defined() && value.toTensor().has_storage();
  return stored ? value.toTensor().storage().unsafeGetStorageImpl() : nullptr;
}

bool Aliases::mayShare(const Value* mine, const void* storage, const Write& w) const {
  if (!w.allocation || isSameAllocation(w.allocation, mine)) return true;
  if (storage && w.storage && storage != w.storage) return false;
  if (w.isOwn) return false;  // every way to that memory is known, and this is none
  bool fresh = isFresh(mine), other = isFresh(w.allocation);
  bool madeLater = other && outermostLoop(mine->node())->isBefore(w.allocation->node());
  bool apart = madeLater || (fresh && other) || (fresh && isOlder(w.allocation, assigned_)) ||
               (other && isOlder(mine, assigned_));
  return !apart;
}

std::unique_ptr<Aliases> aliasesOf(const std::shared_ptr<jit::Graph>& graph, const jit::Module* module) {
  auto frozen = std::make_unique<Aliases>(graph, /*isFrozen=*/true, module);
  bool written = false;
  forEachNode(graph->block(), [&](Node* n) {
    bool attribute = n->kind() == jit::prim::GetAttr && isTensor(n->output());
    written = written || assignsOwnAttribute(n) || (attribute && frozen->hasWriters(n->output()));
  });
  return written ? std::make_unique<Aliases>(graph, /*isFrozen=*/false, module) : std::move(frozen);
}

}  // namespace kadvise::graph

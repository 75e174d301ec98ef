#include "analyzer/graph/node_facts.h"

#include <algorithm>
#include <unordered_set>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/cost.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

bool isInside(Node* n, c10::Symbol kind) {
  for (Node* owner = n->owningBlock()->owningNode(); owner; owner = owner->owningBlock()->owningNode())
    if (owner->kind() == kind) return true;
  return false;
}

// What decides how an if or a loop goes on.
std::vector<Value*> conditionsOf(Node* n) {
  if (n->kind() == prim::If) return {n->input(0)};
  if (n->kind() == prim::Loop) return {n->input(0), n->input(1), n->blocks()[0]->outputs()[0]};
  return {};
}

// Arguments that decide a result's shape. Those of the schema that are whole numbers do (sizes, bounds,
// counts); of arange the ends, which its schema calls scalars.
std::vector<Value*> boundsOf(Node* n) {
  std::vector<Value*> out;
  auto* schema = n->maybeSchema();
  bool givesTensors =
      std::any_of(n->outputs().begin(), n->outputs().end(), [](Value* v) { return holdsTensors(v->type()); });
  if (!schema || !givesTensors || schema->name().rfind("prim::", 0) == 0) return out;
  for (std::size_t i = 0; i < n->inputs().size() && i < schema->arguments().size(); ++i) {
    auto type = schema->arguments()[i].type();
    while (type->kind() == c10::TypeKind::OptionalType || type->kind() == c10::TypeKind::ListType)
      type = type->containedType(0);
    bool wholeNumber = type->kind() == c10::TypeKind::IntType || type->kind() == c10::TypeKind::SymIntType;
    if (wholeNumber || (n->kind() == aten::arange && type->kind() == c10::TypeKind::NumberType))
      out.push_back(n->input(i));
  }
  return out;
}

bool anyOnData(const std::vector<Value*>& values, GraphFacts& facts) {
  return std::any_of(values.begin(), values.end(), [&](Value* v) { return facts.dependence().onData(v); });
}

bool hasConditionOnData(Node* n, GraphFacts& facts) { return anyOnData(conditionsOf(n), facts); }
bool hasConditionOnRowCount(Node* n, GraphFacts& facts) {
  auto behind = conditionsOf(n);
  return hasConditionOnData(n, facts) && std::all_of(behind.begin(), behind.end(), [&](Value* v) {
           return !facts.dependence().onData(v) || facts.dependence().onRowCountOnly(v);
         });
}
bool isBoundByData(Node* n, GraphFacts& facts) { return anyOnData(boundsOf(n), facts); }

bool isAssert(Node* n, GraphFacts&) {
  return n->kind() == prim::If && (raises(n->blocks()[0]) || raises(n->blocks()[1]));
}

// A value that a block hands out goes on as the result of its if or loop; nullptr for what forward returns.
Value* handedOnAs(const jit::Use& use) {
  Node* owner = use.user->owningBlock()->owningNode();
  if (!owner) return nullptr;
  return owner->output(owner->kind() == prim::Loop ? use.offset - 1 : use.offset);
}

// Follows one use of a number on the host: false where it becomes anything but a condition, a size or more
// such numbers.
bool decides(const Value* v, const jit::Use& use, std::vector<Value*>& further) {
  bool handedOut = use.user->kind() == prim::Return;
  auto settled = handedOut ? std::vector<Value*>{} : conditionsOf(use.user);
  if (settled.empty() && !handedOut) settled = boundsOf(use.user);
  if (std::find(settled.begin(), settled.end(), v) != settled.end()) return true;
  if (handedOut) {
    Node* owner = use.user->owningBlock()->owningNode();
    if (owner && owner->kind() == prim::Loop && use.offset == 0) return true;  // whether to go on
    Value* result = handedOnAs(use);
    if (result) further.push_back(result);
    return result != nullptr;
  }
  bool staysNumber = !use.user->outputs().empty() && use.user->blocks().empty() &&
                     std::none_of(use.user->outputs().begin(), use.user->outputs().end(),
                                  [](Value* o) { return holdsTensors(o->type()); });
  if (staysNumber) further.insert(further.end(), use.user->outputs().begin(), use.user->outputs().end());
  return staysNumber;
}

// True where everything that is made of the value on the host ends in a condition, or in a size or bound:
// whoever reports those has said it all.
bool onlyDecides(Node* read, GraphFacts&) {
  std::vector<Value*> host(read->outputs().begin(), read->outputs().end());
  std::unordered_set<const Value*> seen;
  bool used = false;
  for (std::size_t at = 0; at < host.size(); ++at) {
    Value* v = host[at];
    if (!seen.insert(v).second) continue;
    for (auto& use : v->uses()) {
      if (!decides(v, use, host)) return false;
      used = true;
    }
  }
  return used;
}

bool hasTensorWork(const jit::Block* b) {
  bool found = false;
  forEachNode(const_cast<jit::Block*>(b), [&](Node* n) { found = found || launches(n); });
  return found;
}

bool loopsOverWork(Node* n, GraphFacts&) { return n->kind() == prim::Loop && hasTensorWork(n->blocks()[0]); }

bool asksForType(Node* n, GraphFacts&) {
  if (n->kind() != prim::If) return false;
  Node* asks = n->input(0)->node();
  if (asks->kind() == aten::__not__) asks = asks->input(0)->node();
  return asks->kind() == aten::__is__ || asks->kind() == aten::__isnot__ || asks->kind() == prim::isinstance;
}

enum class Write { None, Input, Slice, State, Shared, Local, Unknown };

// kSliceWriters fill a part of a larger tensor, through a view or by indices.
constexpr std::string_view kSliceWriters[] = {"aten::index_put_", "aten::index_copy_", "aten::scatter_",
                                              "aten::masked_scatter_"};

Write writeOf(Node* n, GraphFacts& facts) {
  Value* target = writtenBy(n);
  if (!target || !isTensor(target)) return Write::None;
  Owner owner = ownerOf(target);
  if (owner == Owner::Input) return Write::Input;
  std::string_view kind = n->kind().toQualString();
  bool fills = (kind == "aten::copy_" && isPart(target)) ||
               std::find(std::begin(kSliceWriters), std::end(kSliceWriters), kind) != std::end(kSliceWriters);
  if (fills && owner != Owner::Unknown) return Write::Slice;
  if (owner == Owner::State) return Write::State;
  if (owner == Owner::Unknown) return Write::Unknown;
  return isReadElsewhereAfter(n, facts.analysis.aliases) ? Write::Shared : Write::Local;
}

template <Write kind>
bool writes(Node* n, GraphFacts& facts) {
  return writeOf(n, facts) == kind;
}

Place placeOfFirst(Node* n, GraphFacts& facts) {
  return n->inputs().empty() || !isTensor(n->input(0)) ? Place::Unknown : facts.placement().of(n->input(0));
}

Place placeOfResult(Node* n, GraphFacts& facts) {
  return n->outputs().size() != 1 || !isTensor(n->output()) ? Place::Unknown
                                                            : facts.placement().of(n->output());
}

bool goesToHost(Node* n, GraphFacts& facts) {
  return placeOfFirst(n, facts) == Place::Gpu && placeOfResult(n, facts) == Place::Host;
}

// Made by operators that take numbers only, at the end of the chain of first arguments.
bool comesFromFactory(Node* n) {
  while (!n->inputs().empty() && isTensor(n->input(0)) && n->kind() != prim::Param) n = n->input(0)->node();
  return isFactory(n);
}

bool comesFromHost(Node* n, GraphFacts& facts) {
  return placeOfFirst(n, facts) == Place::Host && placeOfResult(n, facts) == Place::Gpu &&
         !comesFromFactory(n->input(0)->node());
}

bool meetsGpu(Node* n, GraphFacts& facts) {
  Node* meets = facts.placement().meetsGpu(n);
  if (!meets) return false;
  std::string_view kind = meets->kind().toQualString();
  if (kind == "aten::index" || kind == "aten::index_put" || kind == "aten::index_put_")
    return false;  // a page of its own
  // Numbers in 0-d tensors travel with the launch.
  bool isNumber = n->kind() == aten::tensor && n->input(0)->type()->kind() != c10::TypeKind::ListType;
  isNumber = isNumber || n->kind() == aten::scalar_tensor || facts.analysis.traced.rank(n->output()) == 0;
  return !isNumber || meets->kind() == aten::to || meets->kind() == aten::type_as;
}

bool isMadeOnHost(Node* n, GraphFacts& facts) {
  return isFactory(n) && placeOfResult(n, facts) == Place::Host && meetsGpu(n, facts);
}

bool isBoundToCpu(Node* n, GraphFacts& facts) {
  if (placeOfResult(n, facts) != Place::Traced || constantDevice(n).empty()) return false;
  return isFactory(n) ? meetsGpu(n, facts) : placeOfFirst(n, facts) == Place::Gpu;
}

// Of fewer flops a product takes less time at the float32 rate of a GPU than its launch.
constexpr double kLeastFlops = 1e8;

bool isLargeProduct(Node* n, GraphFacts& facts) {
  return costOf(n, facts.analysis.traced).flops >= kLeastFlops;
}

struct Word {
  const char* text;
  bool (*holds)(Node*, GraphFacts&);
};
constexpr Word kWords[] = {
    {"in-loop", [](Node* n, GraphFacts&) { return isInside(n, prim::Loop); }},
    {"in-branch", [](Node* n, GraphFacts&) { return isInside(n, prim::If); }},
    {"data-condition", hasConditionOnData},
    {"row-count-condition", hasConditionOnRowCount},
    {"bound-by-data", isBoundByData},
    {"only-decides", onlyDecides},
    {"assert", isAssert},
    {"loop-over-work", loopsOverWork},
    {"type-condition", asksForType},
    {"on-tensor", [](Node* n, GraphFacts&) { return !n->inputs().empty() && isTensor(n->input(0)); }},
    {"assigns-own-attribute", [](Node* n, GraphFacts&) { return assignsOwnAttribute(n); }},
    {"writes-input", writes<Write::Input>},
    {"writes-state", writes<Write::State>},
    {"writes-slice", writes<Write::Slice>},
    {"writes-shared", writes<Write::Shared>},
    {"writes-local", writes<Write::Local>},
    {"to-host", goesToHost},
    {"from-host", comesFromHost},
    {"made-on-host", isMadeOnHost},
    {"bound-to-cpu", isBoundToCpu},
    {"large-product", isLargeProduct},
};

}  // namespace

const Dependence& GraphFacts::dependence() {
  if (!dependence_) dependence_.emplace(analysis.graph);
  return *dependence_;
}

const Placement& GraphFacts::placement() {
  if (!placement_) placement_.emplace(analysis.graph, analysis.traced, analysis.target);
  return *placement_;
}

bool isFactOfNodes(const std::string& word) {
  if (word.rfind('!', 0) == 0) return isFactOfNodes(word.substr(1));
  return std::any_of(std::begin(kWords), std::end(kWords), [&](const Word& w) { return word == w.text; });
}

bool nodeIs(const std::string& word, Node* n, GraphFacts& facts) {
  if (word.rfind('!', 0) == 0) return !nodeIs(word.substr(1), n, facts);
  for (auto& w : kWords)
    if (word == w.text) return w.holds(n, facts);
  return false;
}

std::vector<Node*> readsBehind(Node* n, GraphFacts& facts) {
  std::vector<Value*> behind = conditionsOf(n);
  if (behind.empty()) behind = boundsOf(n);
  std::vector<Node*> reads;
  std::unordered_set<const Node*> seen;
  for (std::size_t at = 0; at < behind.size(); ++at) {
    Node* maker = behind[at]->node();
    if (maker->kind() == prim::Param || !facts.dependence().onData(behind[at]) || !seen.insert(maker).second)
      continue;
    if (readsOnHost(maker)) {
      reads.push_back(maker);
      continue;
    }
    for (Value* in : maker->inputs()) behind.push_back(in);
    for (jit::Block* b : maker->blocks())
      for (Value* out : b->outputs()) behind.push_back(out);
  }
  sortByPlace(reads);
  return reads;
}

bool launches(const Node* n) {
  auto* schema = n->maybeSchema();
  if (!schema || !n->blocks().empty() || n->kind().ns() == c10::namespaces::prim) return false;
  bool takes = std::any_of(n->inputs().begin(), n->inputs().end(),
                           [](const Value* v) { return holdsTensors(v->type()); });
  bool gives = std::any_of(n->outputs().begin(), n->outputs().end(),
                           [](const Value* v) { return holdsTensors(v->type()); });
  if (!gives || (!takes && !isFactory(n))) return false;
  // A view's schema says so: its result is the memory of an argument that it does not write.
  return schema->is_mutable() ||
         std::none_of(schema->returns().begin(), schema->returns().end(),
                      [](const c10::Argument& r) { return r.alias_info() != nullptr; });
}

}  // namespace kadvise::graph

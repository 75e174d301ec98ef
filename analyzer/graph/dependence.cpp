#include "analyzer/graph/dependence.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>
#include <string_view>

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/data_rows.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/written.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace prim = jit::prim;

constexpr std::string_view kReaders[] = {"aten::item",
                                         "aten::_local_scalar_dense",
                                         "aten::Int",
                                         "aten::Float",
                                         "aten::Bool",
                                         "aten::Complex",
                                         "aten::IntImplicit",
                                         "aten::FloatImplicit",
                                         "aten::ComplexImplicit",
                                         "aten::ScalarImplicit",
                                         "aten::is_nonzero",
                                         "prim::tolist",
                                         "aten::equal",
                                         "aten::allclose"};

// Their results have the shape of the tensor they are given and nothing else of it.
constexpr std::string_view kShapeOfTensor[] = {"aten::zeros_like", "aten::ones_like", "aten::empty_like",
                                               "aten::full_like",  "aten::new_zeros", "aten::new_ones",
                                               "aten::new_empty",  "aten::new_full"};

bool isTensorLike(const Value* v) { return holdsTensors(v->type()); }

}  // namespace

bool holdsTensors(const c10::TypePtr& type) {
  if (type->isSubtypeOf(*c10::TensorType::get())) return true;
  if (type->kind() == c10::TypeKind::ClassType) return false;  // self, and what is read from it by GetAttr
  auto inner = type->containedTypes();
  return std::any_of(inner.begin(), inner.end(), [](const c10::TypePtr& t) { return holdsTensors(t); });
}

bool hasTag(const Node* n, at::Tag tag) {
  auto* schema = n->maybeSchema();
  if (!schema) return false;
  auto handle = c10::Dispatcher::singleton().findSchema(schema->operator_name());
  return handle && handle->hasTag(tag);
}

bool readsOnHost(const Node* n) {
  if (n->inputs().empty() || !isTensor(n->input(0))) return false;
  return isOneOf(kReaders, n) || hasTag(n, at::Tag::data_dependent_output);
}

Dependence::Dependence(jit::Graph& graph) {
  for (auto* in : graph.inputs())
    if (isTensorLike(in)) add(in, kInputs);
  for (bool changed = true; changed;) {  // loops carry values round: until nothing new is data
    changed = false;
    forEachNode(graph.block(), [&](Node* n) { changed = carry(n) || changed; });
  }
}

Dependence::Sources Dependence::sourcesOf(const Value* v) const {
  auto it = sources_.find(v);
  return it == sources_.end() ? 0 : it->second;
}

bool Dependence::add(SourcesOf& of, const Value* v, Sources more) {
  Sources& known = of[v];
  Sources before = known;
  known = static_cast<Sources>(known | more);
  return known != before;
}

Dependence::Sources Dependence::join(at::ArrayRef<const Value*> values) const {
  Sources all = 0;
  for (auto* v : values) all = static_cast<Sources>(all | sourcesOf(v));
  return all;
}

// What goes into a loop's body and comes out of a loop or an if.
bool Dependence::carryBlocks(const Node* n) {
  bool changed = false;
  bool loop = n->kind() == prim::Loop;
  for (const jit::Block* b : n->blocks()) {
    for (std::size_t i = 1; loop && i < b->inputs().size(); ++i)
      changed = add(b->inputs()[i], join({n->input(i + 1), b->outputs()[i]})) || changed;
    std::size_t skip = loop ? 1 : 0;  // a loop's body first returns whether to go on
    for (std::size_t i = 0; i < n->outputs().size() && i + skip < b->outputs().size(); ++i) {
      Sources decides = loop ? join({n->input(0), n->input(1), b->outputs()[0]}) : sourcesOf(n->input(0));
      Sources initial = loop ? sourcesOf(n->input(i + 2)) : Sources{0};
      changed =
          add(n->output(i), static_cast<Sources>(decides | initial | sourcesOf(b->outputs()[i + skip]))) ||
          changed;
    }
  }
  return changed;
}

// y.copy_(x) makes y data, and so whatever y is a view of; so does appending to a list.
bool Dependence::carryWrites(const Node* n) {
  Value* target = writtenBy(n);
  if (!target) return false;
  Sources all = 0;
  for (auto* in : n->inputs()) all = static_cast<Sources>(all | sourcesOf(in));
  bool changed = add(target, all);
  auto next = [](Value* v) {
    auto* whole = isTensor(v) ? const_cast<Value*>(mayView(v)) : nullptr;  // where it may be a copy, too
    return whole ? whole : viewedBy(v);
  };
  for (Value* base = target; (base = next(base));) changed = add(base, all) || changed;
  return changed;
}

// Which rows nonzero() found, or a mask chose, is data; so is how many there are.
bool Dependence::carryRows(const Node* n) {
  auto* chooser = rowChooserOf(n);
  if (!chooser && rows_.empty()) return false;
  Sources all = chooser ? sourcesOf(chooser) : Sources{0};
  for (auto* in : rowKeepersOf(n))
    if (auto it = rows_.find(in); it != rows_.end()) all = static_cast<Sources>(all | it->second);
  bool changed = false;
  for (std::size_t i = 0; all != 0 && i < n->outputs().size(); ++i) {
    if (!hasChosenRows(n, i)) continue;
    bool isNumber = n->output(i)->type()->kind() == c10::TypeKind::IntType;
    Sources count = all == kParameters ? kParameters : kRowCount;
    changed = (isNumber ? add(n->output(i), count) : add(rows_, n->output(i), all)) || changed;
  }
  return changed;
}

bool Dependence::carry(const Node* n) {
  if (!n->blocks().empty()) return carryBlocks(n);
  if (n->kind() == prim::GetAttr) return isTensorLike(n->output()) && add(n->output(), kParameters);
  Sources ofTensors = 0, ofHost = 0;
  for (auto* in : n->inputs()) {
    auto& side = isTensorLike(in) ? ofTensors : ofHost;
    side = static_cast<Sources>(side | sourcesOf(in));
  }
  bool readsTensors = readsOnHost(n), takesShapeOnly = isOneOf(kShapeOfTensor, n);
  bool changed = false;
  for (auto* out : n->outputs()) {
    bool reads = isTensorLike(out) ? !takesShapeOnly : readsTensors;
    Sources all = static_cast<Sources>(ofHost | (reads ? ofTensors : 0));
    if (isTensorLike(out) && n->isNondeterministic()) all = static_cast<Sources>(all | kRandom);
    changed = add(out, all) || changed;
  }
  changed = carryRows(n) || changed;
  return carryWrites(n) || changed;
}

}  // namespace kadvise::graph

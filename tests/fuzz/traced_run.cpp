#include "tests/fuzz/traced_run.h"

#include <unordered_map>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/subject.h"

namespace kadvise::fuzz {
namespace {

namespace jit = torch::jit;
namespace prim = torch::jit::prim;
using graph::TracedValue;
using jit::Node;
using jit::Value;

TracedValue traceOf(const c10::IValue& v) {
  TracedValue t;
  t.kind = v.isTensor()    ? "tensor"
           : v.isInt()     ? "int"
           : v.isDouble()  ? "float"
           : v.isBool()    ? "bool"
           : v.isIntList() ? "list"
           : v.isNone()    ? "none"
                           : "object";
  if (v.isTensor() && v.toTensor().defined()) {
    t.dtype = v.toTensor().scalar_type();
    t.shape = v.toTensor().sizes().vec();
    t.strides = v.toTensor().strides().vec();
    t.device = "cpu";
  }
  if (v.isInt()) t.scalar = v.toInt();
  if (v.isDouble()) t.scalar = v.toDouble();
  if (v.isBool()) t.scalar = v.toBool();
  if (v.isIntList()) t.scalar = v.toIntVector();
  return t;
}

bool sameTrace(const TracedValue& a, const TracedValue& b) {
  return a.kind == b.kind && a.dtype == b.dtype && a.shape == b.shape && a.strides == b.strides &&
         a.scalar == b.scalar;
}

c10::IValue listOf(const c10::TypePtr& type, const jit::Stack& items) {
  c10::impl::GenericList list(type->expectRef<c10::ListType>().getElementType());
  for (auto& item : items) list.push_back(item);
  return list;
}

bool isHuge(const c10::IValue& v) {
  if (!v.isTensor() || !v.toTensor().defined() || !c10::isFloatingType(v.toTensor().scalar_type()))
    return false;
  auto size = v.toTensor().detach().to(at::kDouble).abs();
  return ((size > 1e12) & (size < 1e38)).any().item<bool>();
}

struct Run {
  bool huge = false;
  std::unordered_map<const Value*, c10::IValue> values;
  std::unordered_map<const Value*, TracedValue> seen;

  void set(const Value* v, const c10::IValue& value) {
    values[v] = value;
    huge = huge || isHuge(value);
    TracedValue now = traceOf(value);
    auto [entry, fresh] = seen.emplace(v, now);
    if (!fresh && !sameTrace(entry->second, now)) entry->second.varies = true;
  }

  void block(jit::Block* b) {
    for (Node* n : b->nodes()) node(n);
  }

  std::vector<c10::IValue> resultsOf(jit::Block* b) {
    std::vector<c10::IValue> out;
    for (Value* v : b->outputs()) out.push_back(values.at(v));
    return out;
  }

  void branch(Node* n) {
    jit::Block* taken = n->blocks()[values.at(n->input()).toBool() ? 0 : 1];
    block(taken);
    auto results = resultsOf(taken);
    for (std::size_t i = 0; i < results.size(); ++i) set(n->output(i), results[i]);
  }

  void loop(Node* n) {
    jit::Block* body = n->blocks()[0];
    bool goOn = values.at(n->input(1)).toBool();
    std::vector<c10::IValue> carried;
    for (std::size_t i = 2; i < n->inputs().size(); ++i) carried.push_back(values.at(n->input(i)));
    for (std::int64_t trip = 0, trips = values.at(n->input(0)).toInt(); goOn && trip < trips; ++trip) {
      set(body->inputs()[0], trip);
      for (std::size_t i = 0; i < carried.size(); ++i) set(body->inputs()[i + 1], carried[i]);
      block(body);
      auto results = resultsOf(body);
      goOn = results[0].toBool();
      carried.assign(results.begin() + 1, results.end());
    }
    for (std::size_t i = 0; i < carried.size(); ++i) set(n->output(i), carried[i]);
  }

  void node(Node* n) {
    auto kind = n->kind();
    if (kind == prim::If) return branch(n);
    if (kind == prim::Loop) return loop(n);
    if (kind == prim::Constant) return set(n->output(), *jit::toIValue(n->output()));
    if (kind == prim::GetAttr)
      return set(n->output(), values.at(n->input()).toObjectRef().getAttr(n->s(jit::attr::name)));
    if (kind == prim::Print) return;
    jit::Stack stack;
    for (Value* in : n->inputs()) stack.push_back(values.at(in));
    if (kind == prim::ListConstruct) stack = {listOf(n->output()->type(), stack)};
    else if (kind == prim::TupleConstruct) stack = {c10::ivalue::Tuple::create(stack)};
    else if (kind == prim::ListUnpack) stack = stack[0].toListRef().vec();
    else if (kind == prim::TupleUnpack) stack = stack[0].toTupleRef().elements().vec();
    else if (kind != prim::unchecked_cast) n->getOperation()(stack);
    for (std::size_t i = 0; i < n->outputs().size(); ++i)
      set(n->output(i), stack.at(stack.size() - n->outputs().size() + i));
  }
};

}  // namespace

Trace tracedRun(jit::Graph& g, const std::vector<c10::IValue>& arguments) {
  Run run;
  for (std::size_t i = 0; i < arguments.size(); ++i) run.set(g.inputs()[i], arguments[i]);
  run.block(g.block());
  Trace out;
  out.huge = run.huge;
  for (auto& [value, traced] : run.seen)
    if (auto id = graph::traceName(value); !id.empty()) out.values.put(id, traced);
  return out;
}

}  // namespace kadvise::fuzz

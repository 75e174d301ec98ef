#include "analyzer/graph/shadow_run.h"

#include "analyzer/core/json.h"
#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/shape_rules.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
namespace {

TracedValue traceOf(const c10::IValue& v) {
  TracedValue t;
  if (v.isTensor()) {
    t.kind = "tensor";
    t.dtype = v.toTensor().scalar_type();
    t.shape = v.toTensor().sizes().vec();
    t.strides = v.toTensor().strides().vec();
  } else if (v.isInt()) {
    t.kind = "int", t.scalar = v.toInt();
  } else if (v.isDouble()) {
    t.kind = "float", t.scalar = v.toDouble();
  } else if (v.isBool()) {
    t.kind = "bool", t.scalar = v.toBool();
  } else if (v.isIntList()) {
    t.kind = "list", t.scalar = v.toIntVector();
  } else {
    t.kind = v.isNone() ? "none" : "object";
  }
  return t;
}

bool collect(jit::Node* n, const Known& known, jit::Stack& stack) {
  for (auto* in : n->inputs()) {
    auto it = known.find(in);
    if (it == known.end()) return false;
    stack.push_back(it->second);
  }
  return true;
}

// Constants and what factories make are on the CPU, and operators take no operands of two devices; a tensor
// of no dimensions is taken everywhere, and its value may matter.
c10::IValue withoutData(const c10::IValue& v) {
  if (!v.isTensor() || !v.toTensor().defined()) return v;
  auto t = v.toTensor();
  if (t.is_meta() || t.dim() == 0 || t.layout() != c10::kStrided) return v;
  return at::empty_strided(t.sizes(), t.strides(), t.options().device(at::kMeta));
}

c10::IValue onDevice(const c10::IValue& v, c10::Device device) {
  auto move = [&](const at::Tensor& t) {
    auto moved = at::empty_strided(t.sizes(), t.strides(), t.options().device(device));
    return device.is_meta() ? moved : moved.zero_();
  };
  if (v.isTensor() && v.toTensor().defined()) return move(v.toTensor());
  if (!v.isTensorList()) return v;
  c10::List<at::Tensor> out;
  for (const at::Tensor& t : v.toTensorVector()) out.push_back(move(t));
  return out;
}

constexpr std::int64_t kMostZeros = 1 << 20;

bool small(const jit::Stack& stack) {
  return std::all_of(stack.begin(), stack.end(), [](const c10::IValue& v) {
    return !v.isTensor() || v.toTensor().numel() <= kMostZeros;
  });
}

// Some operators have no kernel for tensors without data; small ones run on zeros. The shape of a few depends
// on the data, and of those nothing is known.
void runOperator(jit::Node* n, jit::Stack& stack) {
  jit::Stack again = stack;
  try {
    n->getOperation()(stack);
  } catch (const c10::NotImplementedError&) {
    if (hasTag(n, at::Tag::dynamic_output_shape) || !small(again)) throw;
    for (auto& v : again) v = onDevice(v, c10::kCPU);
    n->getOperation()(again);
    stack = std::move(again);
    for (auto& v : stack) v = onDevice(v, c10::kMeta);
  }
}

bool runNode(jit::Node* n, Known& known) {
  if (auto constant = n->kind() == jit::prim::Constant ? jit::toIValue(n->output()) : std::nullopt) {
    known[n->output()] = withoutData(*constant);
    return true;
  }
  jit::Stack stack;
  if (!n->blocks().empty() || readsOnHost(n) || !collect(n, known, stack)) return false;
  if (n->kind() == jit::prim::ListConstruct) {
    c10::impl::GenericList list(n->output()->type()->expectRef<c10::ListType>().getElementType());
    for (auto& v : stack) list.push_back(v);
    known[n->output()] = list;
    return true;
  }
  if (!n->maybeOperator()) return false;
  if (auto made = shapeByRule(n, stack)) {
    known[n->output(0)] = *made;
    return true;
  }
  runOperator(n, stack);
  for (std::size_t i = 0; i < n->outputs().size(); ++i)
    known[n->output(i)] = withoutData(stack.at(stack.size() - n->outputs().size() + i));
  return true;
}

void runBlock(jit::Block* block, Known& known);

// One way of a branch, where shapes decide which.
void runBranch(jit::Node* n, Known& known) {
  auto condition = known.find(n->input(0));
  if (condition == known.end() || !condition->second.isBool()) return;
  jit::Block* taken = n->blocks()[condition->second.toBool() ? 0 : 1];
  runBlock(taken, known);
  for (std::size_t i = 0; i < n->outputs().size(); ++i)
    if (auto made = known.find(taken->outputs()[i]); made != known.end())
      known[n->output(i)] = c10::IValue(made->second);
}

void runBlock(jit::Block* block, Known& known) {
  for (jit::Node* n : block->nodes()) {
    try {
      if (n->kind() == jit::prim::If) runBranch(n, known);
      else runNode(n, known);
    } catch (const std::exception&) {
      // No meta kernel, or shapes that do not fit together: the value stays unknown.
    }
  }
}

}  // namespace

c10::IValue shadowOf(const CaseValue& v, at::ScalarType floating) {
  if (v.tensor) {
    auto dtype = v.tensor->dtype == "float" ? floating : dtypeNamed(v.tensor->dtype).value_or(at::kFloat);
    return at::empty(v.tensor->shape, at::TensorOptions().dtype(dtype).device(at::kMeta));
  }
  Json j = Json::parse(v.literal);
  if (j.is_boolean()) return j.get<bool>();
  if (j.is_number_integer()) return j.get<std::int64_t>();
  if (j.is_number()) return j.get<double>();
  if (j == "inf" || j == "-inf") return (j == "inf" ? 1 : -1) * std::numeric_limits<double>::infinity();
  if (j.is_array()) return j.get<std::vector<std::int64_t>>();
  if (j.is_string()) return j.get<std::string>();
  return {};
}

TracedValues shadowRun(jit::Graph& graph, Known known) {
  TracedValues out;
  runBlock(graph.block(), known);
  for (auto& [value, v] : known)
    if (auto id = valueId(value); !id.empty()) out.put(id, traceOf(v));
  return out;
}

}  // namespace kadvise::graph

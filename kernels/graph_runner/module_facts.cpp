#include "kernels/graph_runner/module_facts.h"

#include "kernels/graph_runner/written_memory.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/csrc/jit/ir/constants.h>
#include <torch/csrc/jit/ir/ir.h>
#include <torch/csrc/jit/passes/inliner.h>

#include <algorithm>

namespace kadvise {
namespace {

using torch::jit::Block;
using torch::jit::Node;
using torch::jit::Value;

// "aten::dropout at model.py:12", or the operator alone where no line is known.
std::string placeOf(const Node& node) {
  std::string place = node.kind().toQualString();
  if (const auto at = node.sourceRange().file_line_col()) {
    place += " at " + std::get<0>(*at) + ":" + std::to_string(std::get<1>(*at));
  }
  return place;
}

// The value of a constant, or of an attribute of the module, which nobody outside can change.
std::optional<c10::IValue> knownValue(const Value* value, const torch::jit::Module& module) {
  if (auto constant = torch::jit::toIValue(value)) return constant;
  std::vector<std::string> names;
  while (value->node()->kind() == c10::prim::GetAttr) {
    names.push_back(value->node()->s(c10::attr::name));
    value = value->node()->input();
  }
  if (names.empty() || value != value->node()->owningGraph()->inputs()[0]) return std::nullopt;
  c10::IValue found = module._ivalue();
  for (auto name = names.rbegin(); name != names.rend(); ++name) {
    if (!found.isObject()) return std::nullopt;
    found = found.toObjectRef().getAttr(*name);
  }
  return found;
}

const Value* argument(const Node& node, const char* name) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  const auto index = schema ? schema->argumentIndexWithName(name) : std::nullopt;
  return index && static_cast<std::size_t>(*index) < node.inputs().size() ? node.input(*index) : nullptr;
}

bool isKnownFalse(const Value* flag, const torch::jit::Module& module) {
  const auto value = flag ? knownValue(flag, module) : std::nullopt;
  return value && value->isBool() && !value->toBool();
}

bool isKnownZero(const Value* number, const torch::jit::Module& module) {
  const auto value = number ? knownValue(number, module) : std::nullopt;
  return value && value->isDouble() && value->toDouble() == 0;
}

bool drawsRandomNumbers(const Node& node, const torch::jit::Module& module) {
  const c10::FunctionSchema* schema = node.maybeSchema();
  if (!schema) return false;
  const auto op = c10::Dispatcher::singleton().findSchema(schema->operator_name());
  const bool tagged = op && op->hasTag(at::Tag::nondeterministic_seeded);
  if (!tagged && !node.isNondeterministic()) return false;
  // Dropout and what contains it draws nothing outside training, and nothing at probability zero.
  for (const char* flag : {"train", "training"}) {
    if (isKnownFalse(argument(node, flag), module)) return false;
  }
  for (const char* probability : {"p", "dropout_p", "dropout"}) {
    if (isKnownZero(argument(node, probability), module)) return false;
  }
  return true;
}

// Normalisations update their statistics without a mark in their schemas.
bool updatesStatistics(const Node& node, const torch::jit::Module& module) {
  const Value* statistics = argument(node, "running_mean");
  if (!statistics || statistics->type()->kind() == c10::TypeKind::NoneType) return false;
  const Value* flag = argument(node, "training");
  if (!flag) flag = argument(node, "use_input_stats");
  return flag && !isKnownFalse(flag, module);
}

// Nodes that do more than compute.
const char* sideEffect(const Node& node) {
  switch (node.kind()) {
    case c10::prim::SetAttr:
      return "it changes its own state";
    case c10::prim::Print:
      return "it prints";
    case c10::prim::PythonOp:
      return "it calls Python";
    case c10::prim::CallMethod:
    case c10::prim::CallFunction:
      return "it calls what cannot be looked into";
    case c10::prim::fork:
    case c10::prim::awaitable:
    case c10::prim::rpc_async:
    case c10::prim::rpc_sync:
    case c10::prim::rpc_remote:
      return "it runs a part of itself elsewhere";
    default:
      return nullptr;
  }
}

// What a copy of an input would answer otherwise: where it lies in its storage and what lies around it. What
// the call makes itself, a recording makes alike.
bool asksOfCallersStorage(const Node& node) {
  static const c10::Symbol kAsking[] = {
      c10::Symbol::fromQualString("aten::as_strided"), c10::Symbol::fromQualString("aten::as_strided_"),
      c10::Symbol::fromQualString("aten::storage_offset"), c10::Symbol::fromQualString("aten::is_set_to")};
  if (std::find(std::begin(kAsking), std::end(kAsking), node.kind()) == std::end(kAsking)) return false;
  const auto inputs = node.inputs();
  return std::any_of(inputs.begin(), inputs.end(), [](const Value* in) {
    return in->type()->kind() == c10::TypeKind::TensorType && memoryOf(*in) != Memory::Own;
  });
}

std::string whyNot(const Node& node, const torch::jit::Module& module) {
  if (asksOfCallersStorage(node))
    return "it asks what a copy of a tensor does not know (" + placeOf(node) + ")";
  if (const char* effect = sideEffect(node)) return std::string(effect) + " (" + placeOf(node) + ")";
  if (drawsRandomNumbers(node, module)) return "it draws random numbers (" + placeOf(node) + ")";
  if (updatesStatistics(node, module)) {
    return "it changes its own state: running statistics (" + placeOf(node) + ")";
  }
  switch (writtenMemory(node)) {
    case Memory::None:
    case Memory::Own:
      return {};
    case Memory::Inputs:
      return "it writes to its inputs (" + placeOf(node) + ")";
    case Memory::State:
      return "it changes its own state (" + placeOf(node) + ")";
    case Memory::Unknown:
      return "it writes to a tensor whose origin is not known (" + placeOf(node) + ")";
  }
  return {};
}

std::string whyNot(const Block& block, const torch::jit::Module& module) {
  for (const Node* node : block.nodes()) {
    if (std::string reason = whyNot(*node, module); !reason.empty()) return reason;
    for (const Block* inner : node->blocks()) {
      if (std::string reason = whyNot(*inner, module); !reason.empty()) return reason;
    }
  }
  return {};
}

bool runs(const Block& block, c10::Symbol kind) {
  for (const Node* node : block.nodes()) {
    if (node->kind() == kind) return true;
    for (const Block* inner : node->blocks()) {
      if (runs(*inner, kind)) return true;
    }
  }
  return false;
}

bool runs(const torch::jit::Method& method, const char* kind) {
  const auto graph = method.graph()->copy();
  torch::jit::Inline(*graph);
  return runs(*graph->block(), c10::Symbol::fromQualString(kind));
}

}  // namespace

std::string whyNeverCaptured(const torch::jit::Module& module, const torch::jit::Method& method) {
  const auto graph = method.graph()->copy();
  torch::jit::Inline(*graph);
  return whyNot(*graph->block(), module);
}

bool runsRowPrograms(const torch::jit::Method& method) { return runs(method, "kadvise::row_program"); }

bool asksForGradients(const torch::jit::Method& method) { return runs(method, "prim::requires_grad"); }

}  // namespace kadvise

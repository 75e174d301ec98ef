#include "analyzer/graph/placement.h"

#include <algorithm>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/dependence.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

bool takesTensors(const Node* n) {
  return std::any_of(n->inputs().begin(), n->inputs().end(),
                     [](const Value* v) { return holdsTensors(v->type()); });
}

Place placeNamed(const std::string& device) {
  if (device.empty()) return Place::Unknown;
  return device == "cpu" ? Place::Host : Place::Gpu;
}

}  // namespace

Value* argumentNamed(const Node* n, const std::string& name) {
  auto* schema = n->maybeSchema();
  auto index = schema ? schema->argumentIndexWithName(name) : std::nullopt;
  if (!index || static_cast<std::size_t>(*index) >= n->inputs().size()) return nullptr;
  return const_cast<Node*>(n)->input(static_cast<std::size_t>(*index));
}

std::string constantDevice(const Node* n) {
  Value* device = argumentNamed(n, "device");
  auto constant = device ? jit::toIValue(device) : std::nullopt;
  if (!constant || constant->isNone()) return "";
  if (constant->isDevice()) return constant->toDevice().str();
  return constant->isString() ? constant->toStringRef() : "";
}

std::string namedGpu(jit::Graph& graph) {
  std::string out;
  forEachNode(graph.block(), [&](Node* n) {
    auto device = constantDevice(n);
    if (out.empty() && device.starts_with("cuda")) out = device;
  });
  return out;
}

Placement::Placement(jit::Graph& graph, const TracedValues& traced, const Target& target)
    : traced_(traced), ranOnGpu_(target.device == "cuda") {
  for (auto* in : graph.inputs())
    if (holdsTensors(in->type())) places_[in] = Place::Gpu;
  visit(graph.block());
}

Place Placement::of(const Value* v) const {
  auto* seen = ranOnGpu_ ? traced_.find(v) : nullptr;
  if (seen && seen->kind == "tensor" && !seen->device.empty()) return placeNamed(seen->device);
  auto it = places_.find(v);
  return it == places_.end() ? Place::Unknown : it->second;
}

bool isFactory(const Node* n) {
  return n->outputs().size() == 1 && isTensor(n->output()) && argumentNamed(n, "device") && !takesTensors(n);
}

Node* Placement::meetsGpu(const Node* n) const {
  std::vector<const Value*> onHost(n->outputs().begin(), n->outputs().end());
  std::unordered_set<const Node*> seen;
  for (std::size_t at = 0; at < onHost.size(); ++at)
    for (auto& use : onHost[at]->uses()) {
      if (!seen.insert(use.user).second || use.user->kind() == prim::Return) continue;
      for (Value* out : use.user->outputs()) {
        if (!holdsTensors(out->type())) continue;
        if (of(out) == Place::Gpu) return use.user;
        onHost.push_back(out);
      }
    }
  return nullptr;
}

Place Placement::byDeviceArgument(Node* n, Value* device) const {
  if (device->node()->kind() == prim::device) return of(device->node()->input());
  auto constant = jit::toIValue(device);
  if (!constant) return Place::Unknown;
  if (!constant->isNone()) {
    // x.to("cpu") in a script is meant; only a trace makes the other forms with a constant device.
    bool meant = n->kind() == aten::to && n->schema().overload_name() == "prim_Device";
    Place named = placeNamed(constantDevice(n));
    return named == Place::Host && !ranOnGpu_ && !meant ? Place::Traced : named;
  }
  return takesTensors(n) ? byInputs(n) : Place::Host;  // the default device
}

// One tensor on the GPU takes the others there, in the order of the enumerators; 0-d tensors may stand beside
// it.
Place Placement::byInputs(const Node* n) const {
  Place out = Place::Unknown;
  for (auto* in : n->inputs()) {
    out = std::max(out, of(in));
  }
  return out;
}

Place Placement::resultOf(Node* n) const {
  auto kind = n->kind();
  // A constant's place is the file's, and loading or Module::to may move it: nothing is concluded from it.
  if (kind == prim::Constant || kind == prim::NumToTensor) return Place::Unknown;
  if (kind == prim::GetAttr) return Place::Gpu;
  if (kind == c10::Symbol::aten("cpu")) return Place::Host;
  if (kind == c10::Symbol::aten("cuda")) return Place::Gpu;
  if (Value* other = kind == aten::to || kind == aten::type_as ? argumentNamed(n, "other") : nullptr)
    return of(other);
  if (Value* device = argumentNamed(n, "device")) return byDeviceArgument(n, device);
  return byInputs(n);
}

void Placement::visit(jit::Block* block) {
  for (Node* n : block->nodes()) {
    bool loop = n->kind() == prim::Loop;
    for (jit::Block* inner : n->blocks()) {
      for (std::size_t i = 1; loop && i < inner->inputs().size(); ++i)
        places_[inner->inputs()[i]] = of(n->input(i + 1));
      visit(inner);
    }
    for (std::size_t i = 0; i < n->outputs().size(); ++i) {
      if (!holdsTensors(n->output(i)->type())) continue;
      if (n->blocks().empty()) {
        places_[n->output(i)] = resultOf(n);
        continue;
      }
      Place first = of(n->blocks()[0]->outputs()[loop ? i + 1 : i]);
      Place second = loop ? of(n->input(i + 2)) : of(n->blocks()[1]->outputs()[i]);
      places_[n->output(i)] = first == second ? first : Place::Unknown;
    }
  }
}

}  // namespace kadvise::graph

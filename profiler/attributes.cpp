#include "profiler/attributes.h"

namespace kadvise {
namespace {

using torch::jit::Module;

void collect(const c10::intrusive_ptr<c10::ivalue::Object>& object, const std::string& prefix,
             std::vector<NamedTensor>& out) {
  const auto& type = object->type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    const c10::IValue& value = object->getSlot(i);
    std::string name = prefix + type->getAttributeName(i);
    if (value.isTensor() && value.toTensor().defined()) out.emplace_back(name, value.toTensor());
    if (value.isModule()) collect(value.toObject(), name + ".", out);
  }
}

// "encoder.layers.0.weight": the module encoder.layers.0, and "weight".
std::pair<Module, std::string> ownerOf(const Module& module, const std::string& name) {
  Module owner = module;
  std::size_t from = 0;
  for (auto dot = name.find('.'); dot != std::string::npos; dot = name.find('.', from)) {
    owner = owner.attr(name.substr(from, dot - from)).toModule();
    from = dot + 1;
  }
  return {owner, name.substr(from)};
}

}  // namespace

std::vector<NamedTensor> tensorAttributes(const Module& module) {
  std::vector<NamedTensor> out;
  collect(module._ivalue(), "", out);
  return out;
}

c10::IValue attributeOf(const Module& module, const std::string& name) {
  auto [owner, own] = ownerOf(module, name);
  return owner.attr(own);
}

void setAttribute(const Module& module, const std::string& name, const c10::IValue& value) {
  auto [owner, own] = ownerOf(module, name);
  owner.setattr(own, value);
}

OtherWeights::OtherWeights(Module module, const std::vector<NamedTensor>& weights)
    : module_(std::move(module)) {
  for (const auto& [name, unused] : weights) {
    own_.emplace_back(name, attributeOf(module_, name).toTensor());
  }
  for (const auto& [name, value] : weights) setAttribute(module_, name, value);
}

OtherWeights::~OtherWeights() {
  for (const auto& [name, value] : own_) setAttribute(module_, name, value);
}

}  // namespace kadvise

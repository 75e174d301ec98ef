#include "analyzer/graph/file_tensors.h"

#include <functional>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

namespace jit = torch::jit;

using c10::IValue;

void forEachTensor(const IValue& value, const std::function<void(const at::Tensor&)>& use) {
  value.visit([&](const IValue& inner) {
    if (inner.isTensor() && inner.toTensor().defined()) use(inner.toTensor());
    return false;
  });
}

std::optional<IValue> constantOf(const jit::Node* n) {
  return n->kind() == jit::prim::Constant ? jit::toIValue(n->output()) : std::nullopt;
}

// The value with each tensor that it holds exchanged. Lists and dictionaries are made anew, since another
// module may hold them too; objects stay as they are.
IValue exchanged(const IValue& value, const std::function<at::Tensor(const at::Tensor&)>& use) {
  if (value.isTensor()) return use(value.toTensor());
  if (value.isList()) {
    auto list = value.toList();
    c10::impl::GenericList out(list.elementType());
    for (const IValue& each : list) out.push_back(exchanged(each, use));
    return out;
  }
  if (value.isGenericDict()) {
    auto dict = value.toGenericDict();
    c10::impl::GenericDict out(dict.keyType(), dict.valueType());
    for (const auto& each : dict) out.insert(each.key(), exchanged(each.value(), use));
    return out;
  }
  if (value.isTuple() && !value.toTupleRef().type()->schema()) {  // a named one would lose its name
    std::vector<IValue> elements;
    for (const IValue& each : value.toTupleRef().elements()) elements.push_back(exchanged(each, use));
    return c10::ivalue::Tuple::create(std::move(elements));
  }
  return value;
}

void exchangeConstants(jit::Graph& graph, const std::function<at::Tensor(const at::Tensor&)>& use) {
  forEachNode(graph.block(), [&](jit::Node* n) {
    auto constant = constantOf(n);
    if (!constant) return;
    if (constant->isTensor()) {
      n->t_(jit::attr::value, use(constant->toTensor()));
      n->output()->inferTypeFrom(n->t(jit::attr::value));
    }
    if (constant->isTensorList()) n->ival_(jit::attr::value, exchanged(*constant, use));
  });
}

bool isCollection(const IValue& value) { return value.isList() || value.isGenericDict() || value.isTuple(); }

}  // namespace

void FileTensors::note(const jit::Module& loaded, std::size_t bytesLeftOut) {
  auto remember = [this](const at::Tensor& t) {
    if (t.has_storage()) memory_.emplace(t.storage().unsafeGetStorageImpl(), t.storage());
  };
  forEachTensor(loaded._ivalue(), remember);
  for (const jit::Module& each : loaded.modules())
    for (const auto& method : each.get_methods())
      forEachNode(method.graph()->block(), [&](jit::Node* n) {
        if (auto constant = constantOf(n))
          forEachTensor(*constant, [&](const at::Tensor& t) {
            if (t.has_storage() && t.storage().nbytes() > bytesLeftOut) remember(t);
          });
      });
}

at::Tensor FileTensors::there(const at::Tensor& t, c10::Device device, Moved& moved) const {
  if (!t.defined() || !t.has_storage() || !memory_.count(t.storage().unsafeGetStorageImpl())) return t;
  auto& to = moved[t.unsafeGetTensorImpl()];
  if (!to.defined()) to = t.to(device);
  return to;
}

void FileTensors::move(jit::Module& module, c10::Device device) const {
  if (memory_.empty()) return;
  Moved moved;
  auto use = [&](const at::Tensor& t) { return there(t, device, moved); };
  for (const jit::Module& each : module.modules())
    for (const auto& attribute : each.named_attributes(/*recurse=*/false))
      if (isCollection(attribute.value))
        jit::Module(each).setattr(attribute.name, exchanged(attribute.value, use));
  for (const auto& method : module.get_methods()) exchangeConstants(*method.graph(), use);
}

}  // namespace kadvise::graph

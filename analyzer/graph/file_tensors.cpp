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

}  // namespace

void FileTensors::note(const jit::Module& loaded) {
  auto remember = [this](const at::Tensor& t) {
    if (t.has_storage()) memory_.emplace(t.storage().unsafeGetStorageImpl(), t.storage());
  };
  forEachTensor(loaded._ivalue(), remember);
  for (const jit::Module& each : loaded.modules())
    for (const auto& method : each.get_methods())
      forEachNode(method.graph()->block(), [&](jit::Node* n) {
        if (auto constant = constantOf(n)) forEachTensor(*constant, remember);
      });
}

void FileTensors::move(jit::Graph& graph, c10::Device device) const {
  if (memory_.empty()) return;
  std::unordered_map<const at::TensorImpl*, at::Tensor> moved;  // shared by constants that share them
  auto there = [&](const at::Tensor& t) {
    if (!t.defined() || !t.has_storage() || !memory_.count(t.storage().unsafeGetStorageImpl())) return t;
    auto& to = moved[t.unsafeGetTensorImpl()];
    if (!to.defined()) to = t.to(device);
    return to;
  };
  forEachNode(graph.block(), [&](jit::Node* n) {
    auto constant = constantOf(n);
    if (!constant) return;
    if (constant->isTensor()) {
      n->t_(jit::attr::value, there(constant->toTensor()));
      n->output()->inferTypeFrom(n->t(jit::attr::value));
    }
    if (!constant->isTensorList()) return;
    c10::List<at::Tensor> list;
    for (const at::Tensor& t : constant->toTensorVector()) list.push_back(there(t));
    n->ival_(jit::attr::value, list);
  });
}

}  // namespace kadvise::graph

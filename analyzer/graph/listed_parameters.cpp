#include "analyzer/graph/listed_parameters.h"

#include <algorithm>
#include <string>
#include <unordered_set>
#include <vector>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

bool isSameTensor(const at::Tensor& a, const at::Tensor& b) {
  return a.is_same(b) ||
         (a.has_storage() && b.has_storage() && a.is_alias_of(b) && a.dtype() == b.dtype() &&
          a.storage_offset() == b.storage_offset() && a.sizes() == b.sizes() && a.strides() == b.strides());
}

// The module that has the attribute.
jit::Module ownerOf(const std::string& path, const jit::Module& module) {
  auto dot = path.rfind('.');
  return dot == std::string::npos ? module : attributeAt(module, path.substr(0, dot)).toModule();
}

// The names under which the owner has the elements itself; none where it has not all of them.
std::vector<std::string> namesOf(const at::ArrayRef<c10::IValue>& elements, const jit::Module& owner) {
  std::vector<std::string> out;
  for (auto& element : elements) {
    std::string name;
    for (const auto& p : owner.named_parameters(/*recurse=*/false))
      if (element.isTensor() && isSameTensor(p.value, element.toTensor())) name = p.name;
    if (name.empty()) return {};
    out.push_back(name);
  }
  return out;
}

// And no object of another class.
bool isOfModule(const Node* read) {
  auto type = read->inputs()[0]->type()->cast<c10::ClassType>();
  return type && type->is_module();
}

bool isOnlyRead(const Value* list) {
  return std::all_of(list->uses().begin(), list->uses().end(), [](const jit::Use& use) {
    auto* schema = use.user->maybeSchema();
    if (use.user->kind() == jit::prim::ListUnpack) return true;
    if (!schema || use.offset >= schema->arguments().size()) return false;
    auto* alias = schema->arguments()[use.offset].alias_info();
    return !alias || !alias->isWrite();
  });
}

}  // namespace

void readListedParameters(jit::Graph& forward, const jit::Module& module) {
  std::vector<Node*> reads;
  std::unordered_set<std::string> written;
  forEachNode(forward.block(), [&](Node* n) {
    if (n->kind() == jit::prim::SetAttr) written.insert(n->s(jit::attr::name));
    const bool isList = n->kind() == jit::prim::GetAttr && isOfModule(n) &&
                        n->output()->type()->isSubtypeOf(*c10::ListType::ofTensors());
    if (isList && isOnlyRead(n->output())) reads.push_back(n);
  });
  for (Node* read : reads) {
    const auto path = attributePath(read->output());
    if (!path || written.count(read->s(jit::attr::name))) continue;
    const auto names = namesOf(attributeAt(module, *path).toListRef(), ownerOf(*path, module));
    if (names.empty() || std::any_of(names.begin(), names.end(), [&](auto& n) { return written.count(n); }))
      continue;
    jit::WithInsertPoint here(read);
    std::vector<Value*> elements;
    for (auto& name : names) {
      Node* element = forward.insertNode(forward.createGetAttr(read->input(), name));
      element->setSourceRange(read->sourceRange()), element->setScope(read->scope());
      elements.push_back(element->output());
    }
    Node* made = forward.insertNode(forward.createList(c10::TensorType::get(), elements));
    made->setSourceRange(read->sourceRange()), made->setScope(read->scope());
    read->output()->replaceAllUsesWith(made->output());
    read->destroy();
  }
}

}  // namespace kadvise::graph

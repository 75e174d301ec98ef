#include "analyzer/graph/optional_attributes.h"

#include "analyzer/graph/aliases.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/subject.h"

namespace kadvise::graph {
using jit::Node;

bool isOptionalTensor(const c10::TypePtr& type) {
  auto optional = type->cast<c10::OptionalType>();
  return optional && optional->getElementType()->kind() == c10::TypeKind::TensorType;
}

void settleOptionalAttributes(jit::Graph& graph, const jit::Module& module) {
  forEachNode(graph.block(), [&](Node* n) {
    auto path = n->kind() == jit::prim::GetAttr ? attributePath(n->output()) : std::nullopt;
    if (!path || isAssigned(n->output())) return;
    if (attributeAt(module, *path).isNone()) {
      jit::WithInsertPoint here(n);
      n->output()->replaceAllUsesWith(graph.insertConstant(c10::IValue()));
    } else if (isOptionalTensor(n->output()->type())) {
      n->output()->setType(c10::TensorType::get());
    }
  });
  jit::EliminateDeadCode(graph.shared_from_this());
}

CastOptionals::CastOptionals(const jit::Module& module) {
  for (const auto& method : module.get_methods()) {
    auto graph = method.graph();
    forEachNode(graph->block(), [&](Node* n) {
      auto owner = n->kind() == jit::prim::GetAttr ? n->input()->type()->cast<c10::ClassType>() : nullptr;
      if (!owner || !isTensor(n->output()) || !isOptionalTensor(owner->getAttribute(n->s(jit::attr::name))))
        return;
      Node* cast = graph->create(jit::prim::unchecked_cast, {n->output()}, 1)->insertAfter(n);
      cast->output()->setType(c10::TensorType::get());
      n->output()->replaceAllUsesAfterNodeWith(cast, cast->output());
      casts_.push_back(cast);
    });
  }
}

CastOptionals::~CastOptionals() {
  for (Node* cast : casts_) {
    cast->output()->replaceAllUsesWith(cast->input());
    cast->destroy();
  }
}

}  // namespace kadvise::graph

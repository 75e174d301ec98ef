#include "analyzer/graph/held_module.h"

#include <set>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/optional_attributes.h"

namespace kadvise::graph {
namespace {

using jit::Module;
using jit::Node;
using jit::Value;

bool isModule(const c10::TypePtr& type) { return type->is_module(); }

void copyAttribute(const Module& from, const std::string& name, Module& to) {
  auto type = from.type();
  auto slot = type->getAttributeSlot(name);
  if (to.hasattr(name)) return;
  to.register_attribute(name, type->getAttribute(slot), from.attr(name), type->is_parameter(slot),
                        type->is_buffer(slot));
}

void copyFlags(const Module& from, Module& to) {
  auto type = from.type();
  for (std::size_t i = 0; i < type->numAttributes(); ++i) {
    auto kind = type->getAttribute(i)->kind();
    bool isFlag = kind == c10::TypeKind::BoolType || kind == c10::TypeKind::IntType ||
                  kind == c10::TypeKind::FloatType || kind == c10::TypeKind::StringType;
    if (isFlag) copyAttribute(from, type->getAttributeName(i), to);
  }
}

// "encoder.layers.3.weight": the modules on the way are made where they are not there yet.
void copyPath(const Module& from, const std::string& path, Module to) {
  Module owner = from;
  std::string rest = path;
  for (std::size_t dot; (dot = rest.find('.')) != std::string::npos; rest = rest.substr(dot + 1)) {
    auto name = rest.substr(0, dot);
    owner = owner.attr(name).toModule();
    if (!to.hasattr(name))
      to.register_module(name,
                         Module(*owner.type()->name(), to._ivalue()->compilation_unit(), /*mangle=*/true));
    to = to.attr(name).toModule();
  }
  copyAttribute(owner, rest, to);
}

// In execution order, since what a GetAttr reads may be what another one gave. An optional that is there is
// read as a tensor before and behind.
void retypeReads(jit::Block* block) {
  for (Node* n : block->nodes()) {
    auto owner = n->kind() == jit::prim::GetAttr ? n->input()->type()->cast<c10::ClassType>() : nullptr;
    auto type = owner ? owner->getAttribute(n->s(jit::attr::name)) : nullptr;
    if (type && !(isTensor(n->output()) && isOptionalTensor(type))) n->output()->setType(type);
    for (jit::Block* inner : n->blocks()) retypeReads(inner);
  }
}

}  // namespace

Module holdWhatIsRead(const Module& whole, jit::Graph& graph, Flags flags, const std::string& className) {
  std::set<std::string> paths;
  forEachNode(graph.block(), [&](Node* n) {
    if (n->kind() != jit::prim::GetAttr || isModule(n->output()->type())) return;
    if (auto path = attributePath(n->output())) paths.insert(*path);
  });
  Module out{c10::QualifiedName(className)};
  if (flags == Flags::Keep) copyFlags(whole, out);
  for (auto& path : paths) copyPath(whole, path, out);
  return out;
}

void adoptMethod(Module& module, const std::string& name, const std::shared_ptr<jit::Graph>& graph,
                 const c10::FunctionSchema* schema) {
  graph->inputs().at(0)->setType(module.type());
  retypeReads(graph->block());
  graph->lint();
  auto* method = module._ivalue()->compilation_unit()->create_function(
      c10::QualifiedName(*module.type()->name(), name), graph);
  module.type()->addMethod(method);
  if (!schema) return;
  auto arguments = schema->arguments();
  arguments.at(0) = arguments.at(0).cloneWithType(module.type());
  method->setSchema(
      c10::FunctionSchema(schema->name(), schema->overload_name(), std::move(arguments), schema->returns()));
}

}  // namespace kadvise::graph

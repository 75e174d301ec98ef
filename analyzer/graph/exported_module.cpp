#include "analyzer/graph/exported_module.h"

#include "analyzer/core/error.h"

namespace kadvise::graph {
namespace {

constexpr const char* kTopClass = "__torch__.kadvise.Exported";
constexpr const char* kInnerClass = "__torch__.kadvise.ExportedPart";

}  // namespace

ExportedModule::ExportedModule()
    : unit_(std::make_shared<jit::CompilationUnit>()), top_(c10::QualifiedName(kTopClass), unit_) {}

jit::Value* ExportedModule::addSelf(jit::Graph& graph) const {
  return graph.addInput("self")->setType(top_.type());
}

jit::Module ExportedModule::owner(const std::string& path, std::size_t nameAt) {
  jit::Module module = top_;
  for (std::size_t at = 0; at < nameAt;) {
    auto dot = path.find('.', at);
    auto name = path.substr(at, dot - at);
    at = dot + 1;
    if (module.hasattr(name)) {
      auto known = module.attr(name);
      if (!known.isModule()) throw Error("", "has both a tensor and a module named " + path.substr(0, dot));
      module = known.toModule();
      continue;
    }
    jit::Module part(c10::QualifiedName(kInnerClass), unit_, /*shouldMangle=*/true);
    module.register_module(name, part);
    module = part;
  }
  return module;
}

void ExportedModule::add(const std::string& path, const at::Tensor& tensor, Kind kind) {
  auto nameAt = path.rfind('.') == std::string::npos ? 0 : path.rfind('.') + 1;
  auto module = owner(path, nameAt);
  auto name = path.substr(nameAt);
  if (name.empty() || module.hasattr(name)) throw Error("", "has two tensors or modules named " + path);
  if (kind == Kind::Parameter) module.register_parameter(name, tensor, /*is_buffer=*/false);
  else module.register_buffer(name, tensor);
}

jit::Value* ExportedModule::read(jit::Graph& graph, const std::string& path) const {
  jit::Value* value = graph.inputs().at(0);
  for (std::size_t at = 0; at <= path.size();) {
    auto dot = std::min(path.find('.', at), path.size());
    value = graph.insertGetAttr(value, path.substr(at, dot - at));
    at = dot + 1;
  }
  return value;
}

jit::Module ExportedModule::finish(const std::shared_ptr<jit::Graph>& graph) const {
  graph->lint();
  auto name = c10::QualifiedName(*top_.type()->name(), "forward");
  top_.type()->addMethod(unit_->create_function(name, graph));
  return top_;
}

}  // namespace kadvise::graph

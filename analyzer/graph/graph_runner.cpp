#include "analyzer/graph/graph_runner.h"

#include <memory>
#include <sstream>

#include "analyzer/core/error.h"
#include "analyzer/graph/ir.h"
#include "analyzer/graph/optional_attributes.h"

namespace kadvise::graph {
namespace {

// A module may have gigabytes: the tensor is the text itself.
at::Tensor bytesOf(std::string text) {
  auto owner = std::make_shared<std::string>(std::move(text));
  return at::from_blob(
      owner->data(), {static_cast<std::int64_t>(owner->size())}, [owner](void*) {}, at::kByte);
}

}  // namespace

c10::ClassTypePtr runnerClassNamed(const std::string& name) {
  if (auto type = torch::getCustomClass(name)) return type;
  throw Error("cuda-graph", "no loaded library has the class " + name +
                                "; install kadvise's programs and libkadvise_kernels.so from one build");
}

c10::IValue makeRunner(const c10::ClassTypePtr& type, const jit::Module& module) {
  std::ostringstream file;
  const CastOptionals casts(module);
  module.save(file);
  c10::IValue runner = c10::ivalue::Object::create(c10::StrongTypePtr(nullptr, type), 1);
  type->getMethod("__init__")({runner, bytesOf(std::move(file).str())});
  return runner;
}

}  // namespace kadvise::graph

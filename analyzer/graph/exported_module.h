// The user's module tree made again from the names of its tensors, so that "encoder.layers.0.weight" stays
// the path.
#pragma once

#include <map>
#include <memory>
#include <string>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {

class ExportedModule {
 public:
  enum class Kind { Parameter, Buffer };

  ExportedModule();
  // The graph's first input, which is the module.
  jit::Value* addSelf(jit::Graph&) const;
  // Throws Error("", …) where a module of that name is in the way.
  void add(const std::string& path, const at::Tensor&, Kind);
  // Reads the tensor in a graph that has self.
  jit::Value* read(jit::Graph&, const std::string& path) const;

  // Gives the module its forward.
  jit::Module finish(const std::shared_ptr<jit::Graph>&) const;

 private:
  jit::Module owner(const std::string& path, std::size_t nameAt);

  std::shared_ptr<jit::CompilationUnit> unit_;
  jit::Module top_;
};

}  // namespace kadvise::graph

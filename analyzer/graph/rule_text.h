// Compiles the Python-like text of a rule page with LibTorch's own front end; no Python is needed.
#pragma once

#include <memory>
#include <string>

#include "analyzer/core/rule_page.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

// The names that resolve: torch.<op>, F.<op>, math.<op>, torch.<dtype>, ops.<library>.<op>,
// torch.jit.fork and wait. A fence holds one function. Throws Error{"page.md:line", ...} with LibTorch's own
// message.
struct Compiled {
  std::shared_ptr<torch::jit::Graph> graph;  // as written, calls not inlined
  c10::FunctionSchema schema;                // parameter names, types and defaults
  std::shared_ptr<torch::jit::CompilationUnit> unit;
  std::string function;
};
Compiled compileFence(const RulePage&, const Fence&);
// Of kadvise itself, which may be of any length: a list of a thousand weights is not deep.
Compiled compileOwn(const RulePage&, const Fence&);

// Throws Error(place) where a tuple remains.
void takeTuplesApart(const std::shared_ptr<torch::jit::Graph>&, const std::string& place);

}  // namespace kadvise::graph

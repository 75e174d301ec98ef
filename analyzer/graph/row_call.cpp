#include "analyzer/graph/row_call.h"

#include <sstream>

#include "analyzer/graph/ir.h"

namespace kadvise::graph {
namespace {

std::string literal(const c10::IValue& v) {
  std::ostringstream out;
  v.repr(out, [](std::ostream&, const c10::IValue&) { return false; });
  return out.str();
}

}  // namespace

std::string callOf(const torch::jit::Node* n, const NameOf& nameOf) {
  std::string arguments;
  for (const torch::jit::Value* in : n->inputs()) {
    std::string word = nameOf(in);
    if (word.empty()) word = literal(*torch::jit::toIValue(in));
    arguments += (arguments.empty() ? "" : ", ") + word;
  }
  std::string owner = n->kind().is_aten() ? "torch" : std::string("ops.") + n->kind().ns().toUnqualString();
  return owner + "." + n->kind().toUnqualString() + "(" + arguments + ")";
}

}  // namespace kadvise::graph

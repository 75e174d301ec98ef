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

std::string callWith(const torch::jit::Node* n, const std::string& argument, const std::string& word,
                     const NameOf& nameOf) {
  auto* schema = n->maybeSchema();
  const auto changed = schema ? schema->argumentIndexWithName(argument) : std::nullopt;
  std::string arguments;
  for (std::size_t i = 0; i < n->inputs().size(); ++i) {
    const bool isChanged = changed && static_cast<std::size_t>(*changed) == i;
    std::string one = isChanged ? word : nameOf(n->inputs()[i]);
    if (one.empty()) one = literal(*torch::jit::toIValue(n->inputs()[i]));
    arguments += (arguments.empty() ? "" : ", ") + one;
  }
  std::string owner = n->kind().is_aten() ? "torch" : std::string("ops.") + n->kind().ns().toUnqualString();
  return owner + "." + n->kind().toUnqualString() + "(" + arguments + ")";
}

std::string callOf(const torch::jit::Node* n, const NameOf& nameOf) { return callWith(n, "", "", nameOf); }

}  // namespace kadvise::graph

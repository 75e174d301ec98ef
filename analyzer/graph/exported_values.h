// The values of an exported program by name, while its graph is built; and the arguments of its nodes as
// values.
#pragma once

#include <string>
#include <unordered_map>

#include "analyzer/core/json.h"
#include "analyzer/graph/ir.h"

namespace kadvise::graph {

struct ExportedValues {
  jit::Graph& graph;
  std::unordered_map<std::string, jit::Value*> byName;

  jit::Value* at(const std::string& name) const;  // throws Error("", …) for a name that nothing computed
};

// The union of the schema, {"as_int": 3}: its one key and its value.
struct Tagged {
  std::string tag;
  const Json& value;
};
Tagged tagged(const Json& argument);

// A size or number, whether computed or written out: {"as_name": "s0"}, {"as_int": 3}.
jit::Value* numberValue(const ExportedValues&, const Json& symbolic);

// One argument of an operator, in the type that its schema declares. Throws Error("", …) for kinds that
// TorchScript has no form of.
jit::Value* argumentValue(const ExportedValues&, const Json& argument, const c10::Argument& formal);

// One argument of a size computation or an output, which no schema describes.
jit::Value* plainValue(const ExportedValues&, const Json& argument);

}  // namespace kadvise::graph

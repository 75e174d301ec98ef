// The nodes of an exported program as nodes of a TorchScript graph.
#pragma once

#include <string>
#include <vector>

#include "analyzer/graph/exported_values.h"

namespace kadvise::graph {

class ExportedGraph {
 public:
  explicit ExportedGraph(jit::Graph& graph) : graph_(graph) {}

  // Appends the nodes in order; every value that they name is in values afterwards. Throws Error("", …) for
  // what has no counterpart: an operator that nobody registers, one of higher order.
  void append(const Json& nodes, ExportedValues& values);

  // What was left out or looks unintended, for the report.
  std::vector<std::string> notes() const;

 private:
  void appendNode(const Json& node, const std::string& target, ExportedValues&);
  void appendOperator(const Json& node, const std::string& target, ExportedValues&);
  void appendInner(const Json& node, const std::string& target, ExportedValues&);

  jit::Graph& graph_;
  int guards_ = 0;
  int training_ = 0;
};

}  // namespace kadvise::graph

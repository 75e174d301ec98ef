// Which values have the same rank and dtype in every call that the checks of input_checks.h let through.
#pragma once

#include <unordered_set>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

class Settled {
 public:
  Settled(torch::jit::Graph&, const TracedValues&);

  // What the run saw of the value; nullptr where another call may see another rank or dtype. Sizes are never
  // settled.
  const TracedValue* tensor(const torch::jit::Value*) const;

 private:
  bool isSettledBy(const torch::jit::Node*, std::size_t input) const;
  bool isKnownNumber(const torch::jit::Node*) const;
  void visit(torch::jit::Node*);
  void visitDecided(torch::jit::Node*);

  const TracedValues& traced_;
  std::unordered_set<const torch::jit::Value*> known_;
};

}  // namespace kadvise::graph

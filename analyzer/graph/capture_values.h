// Which values a captured part of forward can have without being handed them.
#pragma once

#include <unordered_set>

#include "analyzer/graph/aliases.h"

namespace kadvise::graph {

class CaptureValues {
 public:
  CaptureValues(torch::jit::Graph&, const Aliases&);

  // Of a value from outside: a tensor, which is handed over, constants and attributes of the module, and what
  // is computed from these on the host, which is computed again inside.
  bool canBeHad(const torch::jit::Value* v) const { return had_.count(v) > 0; }

  // The module itself, a constant, or an attribute that forward does not change: a copy of it inside is as
  // good.
  bool isOfModule(const torch::jit::Value* v) const { return ofModule_.count(v) > 0; }

  // A constant or an attribute that forward changes: a copy of it inside would not change.
  bool isChanged(const torch::jit::Value* v) const { return changed_.count(v) > 0; }

 private:
  void addModule(torch::jit::Value*, const Aliases&, const std::unordered_set<std::string>& assigned);

  std::unordered_set<const torch::jit::Value*> had_, ofModule_, changed_;
};

// Takes and makes no tensor's data, and does nothing but that.
bool isHostWork(const torch::jit::Node*);

}  // namespace kadvise::graph

// What replacements put in the place of values of the user's module: they are of the same shapes.
#pragma once

#include <string>
#include <unordered_map>

#include "analyzer/graph/values.h"

namespace kadvise::graph {

class StandIns {
 public:
  struct Replaced {
    int node = -1;  // the id of the node that made the replaced value
    std::optional<TracedValue> traced;
  };

  // Values are known by their number in the graph, which is never given twice: a value may be gone by the
  // time somebody asks.
  void add(const torch::jit::Value* made, Replaced replaced) {
    replaced_[made->unique()] = std::move(replaced);
  }

  // nullptr for a value that stands for none.
  const Replaced* find(const torch::jit::Value* v) const {
    auto at = replaced_.find(v->unique());
    return at == replaced_.end() ? nullptr : &at->second;
  }

 private:
  std::unordered_map<std::size_t, Replaced> replaced_;
};

// What is known of the values of a graph that was rewritten in places.
class Shapes {
 public:
  Shapes(const TracedValues& traced, const StandIns& made) : traced_(traced), made_(made) {}

  // nullptr where nothing was seen, or no tensor.
  const TracedValue* tensor(const torch::jit::Value*) const;
  // The node's id, or that of the node whose result it replaces; -1 for what this round put there.
  int idOf(const torch::jit::Node*) const;

 private:
  const TracedValues& traced_;
  const StandIns& made_;
};

}  // namespace kadvise::graph

// What the module's values were when it ran: shapes, strides, dtypes and scalars, as kadvise-measure traced
// them. Kept beside the graph, never in its types: LibTorch's passes would bake complete shapes into the
// module.
#pragma once

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "analyzer/core/json.h"
#include "analyzer/graph/torch.h"

namespace kadvise::graph {

struct TracedValue {
  std::string kind;  // tensor, int, float, bool, str, list, none, tuple, object
  c10::ScalarType dtype = c10::ScalarType::Undefined;
  std::vector<std::int64_t> shape, strides;
  std::string device;
  Json scalar;          // of int, float, bool, str; of a list, its items
  bool varies = false;  // differed between visits of a loop: nothing may be concluded from it
};

class TracedValues {
 public:
  TracedValues() = default;
  static TracedValues read(const std::string& path);
  void put(std::string id, TracedValue v) { values_[std::move(id)] = std::move(v); }
  void forget(const torch::jit::Value*);

  // nullptr where the value was never seen, or varied.
  const TracedValue* find(const torch::jit::Value*) const;
  std::optional<std::int64_t> rank(const torch::jit::Value*) const;
  bool empty() const { return values_.empty(); }

 private:
  std::unordered_map<std::string, TracedValue> values_;
};

std::optional<c10::ScalarType> dtypeNamed(const std::string&);
std::string nameOf(c10::ScalarType);

// "float32[4,128,512]", "2", "None": for messages and for telling equal sites apart.
std::string describe(const TracedValue*);

}  // namespace kadvise::graph

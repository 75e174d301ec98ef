#include "analyzer/graph/seen_numbers.h"

#include <algorithm>

namespace kadvise::graph {

std::optional<c10::IValue> seenNumber(torch::jit::Value* v, const TracedValues& traced) {
  auto* t = traced.find(v);
  if (!t) return std::nullopt;
  if (v->type()->kind() == c10::TypeKind::IntType && t->scalar.is_number_integer())
    return c10::IValue(t->scalar.get<std::int64_t>());
  if (v->type()->kind() == c10::TypeKind::FloatType && t->scalar.is_number())
    return c10::IValue(t->scalar.get<double>());
  bool list = v->type()->isSubtypeOf(*c10::ListType::ofInts()) && t->scalar.is_array() &&
              std::all_of(t->scalar.begin(), t->scalar.end(), [](auto& i) { return i.is_number_integer(); });
  if (list) return c10::IValue(t->scalar.get<std::vector<std::int64_t>>());
  return std::nullopt;
}

}  // namespace kadvise::graph

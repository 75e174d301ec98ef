#include "analyzer/graph/norm_statements.h"

namespace kadvise::graph {

RowTerm normTerm(RowWriter& w, const RowTerm& x, const std::optional<RowTerm>& weight,
                 const std::optional<RowTerm>& bias, double eps) {
  constexpr RowType kFloat = RowType::Float;
  RowTerm distance = w.say(kFloat, "sub", {x, w.say(kFloat, "mean", {x})});
  RowTerm variance = w.say(kFloat, "add", {w.say(kFloat, "var", {x}), rowNumber(eps)});
  RowTerm y = w.say(kFloat, "mul", {distance, w.say(kFloat, "rsqrt", {variance})});
  if (weight) y = w.say(kFloat, "mul", {y, *weight});
  if (bias) y = w.say(kFloat, "add", {y, *bias});
  return y;
}

}  // namespace kadvise::graph

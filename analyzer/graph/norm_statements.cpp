#include "analyzer/graph/norm_statements.h"

namespace kadvise::graph {
namespace {

constexpr RowType F = RowType::Float;

RowTerm weighted(RowWriter& w, RowTerm y, const std::optional<RowTerm>& weight,
                 const std::optional<RowTerm>& bias) {
  if (weight) y = w.say(F, "mul", {y, *weight});
  return bias ? w.say(F, "add", {y, *bias}) : y;
}

RowTerm scaleOf(RowWriter& w, const RowTerm& variance, double eps) {
  return w.say(F, "rsqrt", {w.say(F, "add", {variance, rowNumber(eps)})});
}

}  // namespace

NormTerms normTerms(RowWriter& w, const RowTerm& x, const std::optional<RowTerm>& weight,
                    const std::optional<RowTerm>& bias, double eps) {
  RowTerm first = w.say(F, "mean", {x}), centred = w.say(F, "sub", {x, first});
  RowTerm rest = w.say(F, "mean", {centred}), squares = w.say(F, "mean", {w.say(F, "square", {centred})});
  RowTerm less = w.say(F, "sub", {squares, w.say(F, "mul", {rest, rest})});
  RowTerm overflows = w.say(RowType::Bool, "isinf", {squares});
  RowTerm variance = w.say(F, "where", {overflows, squares, w.say(F, "maximum", {less, rowNumber(0)})});
  RowTerm scale = scaleOf(w, variance, eps);
  RowTerm y = w.say(F, "mul", {w.say(F, "sub", {centred, rest}), scale});
  return {weighted(w, y, weight, bias), first, rest, scale};
}

RowTerm normByOneReduction(RowWriter& w, const RowTerm& x, const std::optional<RowTerm>& weight,
                           const std::optional<RowTerm>& bias, double eps) {
  RowTerm centred = w.say(F, "sub", {x, w.say(F, "mean", {x})});
  RowTerm scale = scaleOf(w, w.say(F, "var", {x}), eps);
  return weighted(w, w.say(F, "mul", {centred, scale}), weight, bias);
}

}  // namespace kadvise::graph

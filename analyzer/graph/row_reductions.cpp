// Reductions and norms as statements. What they reduce over is said once for the whole program.
#include <cmath>
#include <string_view>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/norm_statements.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

constexpr RowType F = RowType::Float;

RowTerm floatOf(const Value* v, RowWriter& w) { return w.as(F, w.termOf(v)); }
RowTerm firstOf(const Node* n, RowWriter& w) { return floatOf(n->inputs()[0], w); }

// How many elements were reduced. The language has no sizes, so they are counted.
RowTerm countOf(const RowTerm& x, RowWriter& w) {
  return w.cast(w.say(RowType::Int, "sum", {rowTruth(x, w)}), at::kFloat);
}

// The biased variance, times n / (n - correction).
RowTerm varianceOf(const Node* n, RowWriter& w) {
  RowTerm x = firstOf(n, w), biased = w.say(F, "var", {x});
  double correction = 1;
  if (argumentNamed(n, "unbiased")) correction = rowFlagOf(n, "unbiased") ? 1 : 0;
  else correction = rowNumberOf(n, "correction").value_or(1);
  if (correction == 0) return biased;
  RowTerm count = countOf(x, w);
  RowTerm rest = w.say(F, "maximum", {w.say(F, "sub", {count, rowNumber(correction)}), rowNumber(0)});
  return w.say(F, "div", {w.say(F, "mul", {biased, count}), rest});
}

void variance(const Node* n, RowWriter& w, const char*) { w.define(n->output(), varianceOf(n, w)); }
void deviation(const Node* n, RowWriter& w, const char*) {
  w.define(n->output(), w.say(F, "sqrt", {varianceOf(n, w)}));
}
void varianceAndMean(const Node* n, RowWriter& w, const char*) {
  w.define(n->outputs()[0], varianceOf(n, w));
  w.define(n->outputs()[1], w.say(F, "mean", {firstOf(n, w)}));
}

void floatReduction(const Node* n, RowWriter& w, const char* word) {
  if (rowTypeOf(rowResultOf(n, w)) != F) rowUnsupported("reduces to whole numbers");
  w.define(n->output(), w.say(F, word, {firstOf(n, w)}));
}

// Sums of bools and whole numbers are whole numbers.
void total(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowTypeOf(rowResultOf(n, w));
  RowTerm x = w.termOf(n->inputs()[0]);
  w.define(n->output(), w.say(type, word, {type == F ? w.as(F, x) : w.as(RowType::Int, x)}));
}

// max and amax; with indices those of the first of equals.
void extreme(const Node* n, RowWriter& w, const char* word) {
  if (rowTypeOf(rowResultOf(n, w)) == RowType::Bool) rowUnsupported("compares bools");
  RowTerm x = w.roundedTermOf(n->inputs()[0]);
  w.define(n->outputs()[0], w.say(x.type, word, {x}));
  if (n->outputs().size() == 2)
    w.define(n->outputs()[1], w.say(RowType::Int, std::string("arg") + word, {x}));
}

void place(const Node* n, RowWriter& w, const char* word) {
  RowTerm x = w.roundedTermOf(n->inputs()[0]);
  if (x.type == RowType::Bool) rowUnsupported("compares bools");
  w.define(n->output(), w.say(RowType::Int, word, {x}));
}

void anyOrAll(const Node* n, RowWriter& w, const char* word) {
  if (rowResultOf(n, w) != at::kBool) rowUnsupported("makes numbers of bools");
  w.define(n->output(), w.say(RowType::Bool, word, {w.as(RowType::Bool, w.roundedTermOf(n->inputs()[0]))}));
}

void length(const Node* n, RowWriter& w, const char*) {
  const char* name = argumentNamed(n, "ord") ? "ord" : "p";
  w.define(n->output(), rowLength(firstOf(n, w), rowNumberOf(n, name).value_or(2), w));
}

// Of a row of infinities of one sign their sign, as torch has it.
void logOfSum(const Node* n, RowWriter& w, const char*) {
  RowTerm x = firstOf(n, w), m = w.say(F, "max", {x});
  RowTerm finite = w.say(F, "where", {w.say(RowType::Bool, "isinf", {m}), rowNumber(0), m});
  RowTerm sum = w.say(F, "sum", {w.say(F, "exp", {w.say(F, "sub", {x, finite})})});
  w.define(n->output(), w.say(F, "add", {w.say(F, "log", {sum}), finite}));
}

void softmax(const Node* n, RowWriter& w, const char* word) {
  RowTerm x = firstOf(n, w);
  RowTerm centred = w.say(F, "sub", {x, w.say(F, "max", {x})});
  RowTerm e = w.say(F, "exp", {centred}), sum = w.say(F, "sum", {e});
  bool isLog = std::string_view(word) == "log";
  w.define(n->output(),
           isLog ? w.say(F, "sub", {centred, w.say(F, "log", {sum})}) : w.say(F, "div", {e, sum}));
}

// ---- norms

RowTerm weighted(RowTerm y, const Value* weight, const Value* bias, RowWriter& w) {
  if (weight) y = w.say(F, "mul", {y, floatOf(weight, w)});
  if (bias) y = w.say(F, "add", {y, floatOf(bias, w)});
  return y;
}

std::optional<RowTerm> termNamed(const Node* n, const char* name, RowWriter& w) {
  const Value* v = rowTensorOf(n, name);
  return v ? std::optional(floatOf(v, w)) : std::nullopt;
}

NormTerms layerNormOf(const Node* n, const RowTerm& x, RowWriter& w) {
  return normTerms(w, x, termNamed(n, "weight", w), termNamed(n, "bias", w),
                   rowNumberOf(n, "eps").value_or(1e-5));
}

void layerNorm(const Node* n, RowWriter& w, const char*) {
  auto made = layerNormOf(n, firstOf(n, w), w);
  w.define(n->outputs()[0], made.result);
  if (n->outputs().size() != 3) return;
  w.define(n->outputs()[1], w.say(F, "add", {made.first, made.rest}));
  w.define(n->outputs()[2], made.scale);
}

RowTerm rmsNormOf(const Node* n, const RowTerm& x, RowWriter& w) {
  auto eps = rowNumberOf(n, "eps");
  if (!eps) rowUnsupported("takes its epsilon from the dtype");
  RowTerm mean = w.say(F, "mean", {w.say(F, "square", {x})});
  RowTerm scale = w.say(F, "rsqrt", {w.say(F, "add", {mean, rowNumber(*eps)})});
  return weighted(w.say(F, "mul", {x, scale}), rowTensorOf(n, "weight"), nullptr, w);
}

void rmsNorm(const Node* n, RowWriter& w, const char*) {
  w.define(n->output(), rmsNormOf(n, firstOf(n, w), w));
}

// What is stored is the rounded sum; what is normalised is nearer to the truth.
RowTerm sumOf(const Node* n, RowWriter& w) {
  RowTerm sum = w.say(F, "add", {firstOf(n, w), floatOf(n->inputs()[1], w)});
  w.define(n->outputs()[1], sum);
  return sum;
}

void addLayerNorm(const Node* n, RowWriter& w, const char*) {
  w.define(n->outputs()[0], layerNormOf(n, sumOf(n, w), w).result);
}
void addRmsNorm(const Node* n, RowWriter& w, const char*) {
  w.define(n->outputs()[0], rmsNormOf(n, sumOf(n, w), w));
}

// A batch norm by statistics that are given.
void channelNorm(const Node* n, RowWriter& w, const char*) {
  auto at = [&](const char* name) { return floatOf(rowTensorOf(n, name), w); };
  RowTerm variance = w.say(F, "add", {at("running_var"), rowNumber(rowNumberOf(n, "eps").value_or(1e-5))});
  RowTerm y =
      w.say(F, "mul", {w.say(F, "sub", {firstOf(n, w), at("running_mean")}), w.say(F, "rsqrt", {variance})});
  w.define(n->output(), weighted(y, rowTensorOf(n, "weight"), rowTensorOf(n, "bias"), w));
}

}  // namespace

RowTerm rowTruth(const RowTerm& x, RowWriter& w) {
  RowTerm nan = w.say(RowType::Bool, "isnan", {x}), other = w.say(RowType::Bool, "not", {nan});
  return w.say(RowType::Bool, "or", {nan, other});
}

RowTerm rowLength(const RowTerm& x, double p, RowWriter& w) {
  if (p == 2) return w.say(F, "sqrt", {w.say(F, "sum", {w.say(F, "square", {x})})});
  RowTerm size = w.say(F, "abs", {x});
  if (p == 1) return w.say(F, "sum", {size});
  if (!std::isinf(p) || p < 0) rowUnsupported("takes a norm of another order");
  return w.say(F, "max", {size});
}

const RowWord kRowAlong[] = {{"aten::softmax", softmax, ""},
                             {"aten::_softmax", softmax, ""},
                             {"aten::log_softmax", softmax, "log"},
                             {"aten::_log_softmax", softmax, "log"},
                             {nullptr, nullptr}};

const RowWord kRowNorms[] = {{"aten::layer_norm", layerNorm},
                             {"aten::native_layer_norm", layerNorm},
                             {"aten::rms_norm", rmsNorm},
                             {"kadvise::rms_norm", rmsNorm},
                             {"kadvise::add_layer_norm", addLayerNorm},
                             {"kadvise::add_rms_norm", addRmsNorm},
                             {nullptr, nullptr}};

const RowWord kRowChannelNorms[] = {{"aten::batch_norm", channelNorm}, {nullptr, nullptr}};

const RowWord kRowReductions[] = {{"aten::mean", floatReduction, "mean"},
                                  {"aten::adaptive_avg_pool1d", floatReduction, "mean"},
                                  {"aten::adaptive_avg_pool2d", floatReduction, "mean"},
                                  {"aten::adaptive_avg_pool3d", floatReduction, "mean"},
                                  {"aten::sum", total, "sum"},
                                  {"aten::prod", total, "prod"},
                                  {"aten::amax", extreme, "max"},
                                  {"aten::amin", extreme, "min"},
                                  {"aten::max", extreme, "max"},
                                  {"aten::min", extreme, "min"},
                                  {"aten::argmax", place, "argmax"},
                                  {"aten::argmin", place, "argmin"},
                                  {"aten::any", anyOrAll, "any"},
                                  {"aten::all", anyOrAll, "all"},
                                  {"aten::var", variance},
                                  {"aten::std", deviation},
                                  {"aten::var_mean", varianceAndMean},
                                  {"aten::norm", length},
                                  {"aten::linalg_vector_norm", length},
                                  {"aten::logsumexp", logOfSum},
                                  {nullptr, nullptr}};

}  // namespace kadvise::graph

// Activations as statements: those with a word of their own, and those that are made of others.
#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {
namespace {

using jit::Node;

constexpr RowType F = RowType::Float;

RowTerm first(const Node* n, RowWriter& w) { return rowOperand(n, w, 0, F); }
double numberOr(const Node* n, const char* name, double absent) {
  return rowNumberOf(n, name).value_or(absent);
}

RowTerm times(const RowTerm& x, double factor, RowWriter& w) {
  return factor == 1 ? x : w.say(F, "mul", {x, rowNumber(factor)});
}

void plain(const Node* n, RowWriter& w, const char* word) {
  w.define(n->output(), w.say(F, word, {first(n, w)}));
}

void leakyRelu(const Node* n, RowWriter& w, const char* word) {
  w.define(n->output(), w.say(F, word, {first(n, w), rowNumber(numberOr(n, "negative_slope", 0.01))}));
}

// A slope a channel.
void slopedRelu(const Node* n, RowWriter& w, const char*) {
  RowTerm x = first(n, w), slope = rowOperand(n, w, 1, F);
  RowTerm isAbove = w.say(RowType::Bool, "gt", {x, rowNumber(0)});
  w.define(n->output(), w.say(F, "where", {isAbove, x, w.say(F, "mul", {slope, x})}));
}

// x * scale above zero, alpha * scale * expm1(x * inner) below.
RowTerm exponentialUnit(const RowTerm& x, double alpha, double scale, double inner, RowWriter& w) {
  if (scale == 1 && inner == 1) return w.say(F, "elu", {x, rowNumber(alpha)});
  RowTerm below = times(w.say(F, "expm1", {times(x, inner, w)}), alpha * scale, w);
  RowTerm isAbove = w.say(RowType::Bool, "gt", {x, rowNumber(0)});
  return w.say(F, "where", {isAbove, times(x, scale, w), below});
}

void elu(const Node* n, RowWriter& w, const char*) {
  w.define(n->output(), exponentialUnit(first(n, w), numberOr(n, "alpha", 1), numberOr(n, "scale", 1),
                                        numberOr(n, "input_scale", 1), w));
}

void celu(const Node* n, RowWriter& w, const char*) {
  double alpha = numberOr(n, "alpha", 1);
  if (alpha == 0) rowUnsupported("divides by an alpha of zero");
  w.define(n->output(), exponentialUnit(first(n, w), alpha, 1, 1 / alpha, w));
}

// Klambauer et al., Self-Normalizing Neural Networks, 2017: where mean and variance of a layer stay 0 and 1.
void selu(const Node* n, RowWriter& w, const char*) {
  constexpr double kAlpha = 1.6732632423543772848, kScale = 1.0507009873554804934;
  w.define(n->output(), exponentialUnit(first(n, w), kAlpha, kScale, 1, w));
}

// log(1 + exp(beta x)) / beta, and x where beta x is above the threshold. The word's own is 20.
void softplus(const Node* n, RowWriter& w, const char* word) {
  double beta = numberOr(n, "beta", 1), threshold = numberOr(n, "threshold", 20);
  if (beta == 0) rowUnsupported("divides by a beta of zero");
  RowTerm x = first(n, w), scaled = times(x, beta, w);
  if (beta == 1 && threshold == 20) return w.define(n->output(), w.say(F, word, {x}));
  RowTerm sum = w.say(F, "log1p", {w.say(F, "exp", {scaled})});
  RowTerm isLinear = w.say(RowType::Bool, "gt", {scaled, rowNumber(threshold)});
  RowTerm curved = beta == 1 ? sum : w.say(F, "div", {sum, rowNumber(beta)});
  w.define(n->output(), w.say(F, "where", {isLinear, x, curved}));
}

// As ATen has it, in the dtype of the result.
double lambdaOf(const Node* n, const RowWriter& w) {
  auto lambda = static_cast<float>(numberOr(n, "lambd", 0.5));
  auto dtype = rowResultOf(n, w);
  if (dtype == at::kHalf) return static_cast<float>(c10::Half(lambda));
  if (dtype == at::kBFloat16) return static_cast<float>(c10::BFloat16(lambda));
  return lambda;
}

// Zero from -lambda to lambda, where it jumps: of 16 bits what the module has counts.
void hardShrink(const Node* n, RowWriter& w, const char*) {
  double lambda = lambdaOf(n, w);
  RowTerm x = w.roundedTermOf(n->inputs()[0]);
  RowTerm isLow = w.say(RowType::Bool, "le", {x, rowNumber(lambda)});
  RowTerm isHigh = w.say(RowType::Bool, "ge", {x, rowNumber(-lambda)});
  w.define(n->output(),
           w.say(F, "where", {w.say(RowType::Bool, "and", {isLow, isHigh}), rowNumber(0), w.as(F, x)}));
}

// Moved towards zero by lambda. Zero times x passes NaN on.
void softShrink(const Node* n, RowWriter& w, const char*) {
  double lambda = lambdaOf(n, w);
  RowTerm x = first(n, w);
  RowTerm isHigh = w.say(RowType::Bool, "gt", {x, rowNumber(lambda)});
  RowTerm isLow = w.say(RowType::Bool, "lt", {x, rowNumber(-lambda)});
  RowTerm inside = w.say(F, "mul", {x, rowNumber(0)});
  RowTerm below = w.say(F, "where", {isLow, w.say(F, "add", {x, rowNumber(lambda)}), inside});
  w.define(n->output(), w.say(F, "where", {isHigh, w.say(F, "sub", {x, rowNumber(lambda)}), below}));
}

void gelu(const Node* n, RowWriter& w, const char*) {
  bool isTanh = rowStringOf(n, "approximate") == "tanh";
  w.define(n->output(), rowActivation(isTanh ? "gelu_tanh" : "gelu", first(n, w), w));
}

// ---- kadvise's own

void activation(const Node* n, RowWriter& w, const char*) {
  w.define(n->output(), rowActivation(rowStringOf(n, "activation"), first(n, w), w));
}

void gatedActivation(const Node* n, RowWriter& w, const char*) {
  RowTerm gate = rowActivation(rowStringOf(n, "activation"), first(n, w), w);
  w.define(n->output(), w.say(F, "mul", {gate, rowOperand(n, w, 1, F)}));
}

void softCap(const Node* n, RowWriter& w, const char*) {
  RowTerm cap = rowNumber(numberOr(n, "cap", 1));
  RowTerm t = w.say(F, "tanh", {w.say(F, "div", {first(n, w), cap})});
  w.define(n->output(), w.say(F, "mul", {t, cap}));
}

}  // namespace

RowTerm rowActivation(const std::string& name, const RowTerm& x, RowWriter& w) {
  if (name != "quick_gelu") return w.say(F, name, {x});
  RowTerm gate = w.say(F, "sigmoid", {w.say(F, "mul", {x, rowNumber(1.702)})});
  return w.say(F, "mul", {x, gate});
}

const RowWord kRowSlopes[] = {{"aten::prelu", slopedRelu}, {nullptr, nullptr}};

const RowWord kRowActivations[] = {{"aten::sigmoid", plain, "sigmoid"},
                                   {"aten::log_sigmoid", plain, "logsigmoid"},
                                   {"aten::silu", plain, "silu"},
                                   {"aten::mish", plain, "mish"},
                                   {"aten::hardswish", plain, "hardswish"},
                                   {"aten::hardsigmoid", plain, "hardsigmoid"},
                                   {"aten::relu6", plain, "relu6"},
                                   {"aten::softsign", plain, "softsign"},
                                   {"aten::softplus", softplus, "softplus"},
                                   {"aten::leaky_relu", leakyRelu, "leaky_relu"},
                                   {"aten::elu", elu},
                                   {"aten::celu", celu},
                                   {"aten::selu", selu},
                                   {"aten::hardshrink", hardShrink},
                                   {"aten::softshrink", softShrink},
                                   {"aten::gelu", gelu},
                                   {"kadvise::activation", activation},
                                   {"kadvise::gated_activation", gatedActivation},
                                   {"kadvise::soft_cap", softCap},
                                   {nullptr, nullptr}};

}  // namespace kadvise::graph

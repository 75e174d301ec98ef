// Losses of each element as statements, as ATen has them: aten/src/ATen/native/Loss.cpp and its kernels.
// Their reductions are operators of their own (loss_forms.h).
#include "analyzer/graph/ir.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {
namespace {

using jit::Node;

constexpr RowType F = RowType::Float;

// Writes statements about the operands of one node.
struct Loss {
  const Node* node;
  RowWriter& w;

  RowTerm at(std::size_t i) const { return rowOperand(node, w, i, F); }
  RowTerm number(const char* name, double absent) const {
    return rowNumber(rowNumberOf(node, name).value_or(absent));
  }
  RowTerm say(const char* word, std::initializer_list<RowTerm> operands) const {
    return w.say(F, word, operands);
  }
  RowTerm where(const char* test, const RowTerm& a, const RowTerm& b, const RowTerm& yes,
                const RowTerm& no) const {
    return say("where", {w.say(RowType::Bool, test, {a, b}), yes, no});
  }
  RowTerm positive(const RowTerm& x) const { return say("maximum", {x, rowNumber(0)}); }
  RowTerm difference() const { return say("sub", {at(0), at(1)}); }
  // As ATen has it between two steps: an epsilon may be nothing in 16 bits.
  RowTerm stored(const RowTerm& t) const {
    auto dtype = rowResultOf(node, w);
    return c10::isReducedFloatingType(dtype) ? w.cast(t, dtype) : t;
  }
  void is(const RowTerm& t) const { w.define(node->output(), t); }
};

// Targets of less than 32 bits wrap around, which the language does not: -1 is 255.
void checkOperands(const Node* n, RowWriter& w) {
  if (rowTypeOf(rowResultOf(n, w)) != F) rowUnsupported("computes with whole numbers");
  for (const torch::jit::Value* v : n->inputs()) {
    if (!isTensor(v) || torch::jit::toIValue(v)) continue;
    auto dtype = rowDtypeOf(v, w.traced());
    if (rowTypeOf(dtype) != F && dtype != at::kInt && dtype != at::kLong)
      rowUnsupported("computes with whole numbers of less than 32 bits");
  }
}

Loss lossOf(const Node* n, RowWriter& w) {
  if (rowNumberOf(n, "reduction") != at::Reduction::None) rowUnsupported("reduces what it computes");
  checkOperands(n, w);
  return {n, w};
}

void squaredError(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  l.is(l.say("square", {l.difference()}));
}

void absoluteError(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  l.is(l.say("abs", {l.difference()}));
}

// Half a square below the bound, and a line above: d * d / 2 and bound * (d - bound / 2), for smooth_l1_loss
// both divided by the bound.
void cappedError(const Node* n, RowWriter& w, const char* bound) {
  auto l = lossOf(n, w);
  double most = rowNumberOf(n, bound).value_or(1);
  bool divides = n->kind() == c10::aten::smooth_l1_loss;
  RowTerm d = l.say("abs", {l.difference()});
  if (divides && most == 0) return l.is(d);
  RowTerm half = l.say("mul", {l.say("square", {d}), rowNumber(0.5)});
  RowTerm line = l.say("sub", {d, rowNumber(most / 2)});
  if (divides) half = l.say("div", {half, rowNumber(most)});
  else line = l.say("mul", {line, rowNumber(most)});
  l.is(l.where("lt", d, rowNumber(most), half, line));
}

// t * log(t), which is 0 at 0, less t * x; of logarithms exp(t) * (t - x).
void divergence(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm x = l.at(0), t = l.at(1);
  if (rowFlagOf(n, "log_target")) return l.is(l.say("mul", {l.say("exp", {t}), l.say("sub", {t, x})}));
  RowTerm entropy = l.where("eq", t, rowNumber(0), rowNumber(0), l.say("mul", {t, l.say("log", {t})}));
  l.is(l.say("sub", {entropy, l.say("mul", {t, x})}));
}

// (1 - t) * x - ((weight of positives - 1) * t + 1) * logsigmoid(x), times the weight.
void crossEntropyOfLogits(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm x = l.at(0), t = l.at(1), one = rowNumber(1), log = l.say("logsigmoid", {x});
  if (auto* v = rowTensorOf(n, "pos_weight")) {
    RowTerm more = l.say("sub", {w.as(F, w.termOf(v)), one});
    log = l.say("mul", {log, l.say("add", {l.say("mul", {more, t}), one})});
  }
  RowTerm loss = l.say("sub", {l.say("mul", {l.say("sub", {one, t}), x}), log});
  if (auto* v = rowTensorOf(n, "weight")) loss = l.say("mul", {loss, w.as(F, w.termOf(v))});
  l.is(loss);
}

void softMargin(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm product = l.say("mul", {l.at(0), l.at(1)});
  l.is(l.say("log1p", {l.say("exp", {l.say("neg", {product})})}));
}

// The margin less t * (a - b), where that is more than 0.
void ranking(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm product = l.say("mul", {l.at(2), l.difference()});
  l.is(l.positive(l.say("sub", {l.number("margin", 0), product})));
}

// x where t is 1, the margin less x where it is -1 and that is more than 0; both where it is neither.
void hinge(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm x = l.at(0), t = l.at(1), zero = rowNumber(0);
  RowTerm below = l.positive(l.say("sub", {l.number("margin", 1), x}));
  l.is(l.say("add", {l.where("ne", t, rowNumber(1), below, zero), l.where("ne", t, rowNumber(-1), x, zero)}));
}

void poisson(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  if (rowFlagOf(n, "full")) rowUnsupported("adds Stirling's approximation");
  RowTerm x = l.at(0), t = l.at(1);
  if (rowFlagOf(n, "log_input")) return l.is(l.say("sub", {l.say("exp", {x}), l.say("mul", {t, x})}));
  RowTerm log = l.say("log", {l.stored(l.say("add", {x, l.number("eps", 1e-8)}))});
  l.is(l.say("sub", {x, l.say("mul", {t, log})}));
}

// ---- of rows

RowTerm distance(const Loss& l, std::size_t a, std::size_t b) {
  RowTerm d = l.say("add", {l.say("sub", {l.at(a), l.at(b)}), l.number("eps", 1e-6)});
  return rowLength(d, rowNumberOf(l.node, "p").value_or(2), l.w);
}

void distanceOfRows(const Node* n, RowWriter& w, const char*) {
  checkOperands(n, w);
  Loss l{n, w};
  l.is(distance(l, 0, 1));
}

void triplet(const Node* n, RowWriter& w, const char*) {
  auto l = lossOf(n, w);
  RowTerm near = distance(l, 0, 1), far = distance(l, 0, 2);
  if (rowFlagOf(n, "swap")) far = l.say("minimum", {far, distance(l, 1, 2)});
  l.is(l.positive(l.say("sub", {l.say("add", {near, l.number("margin", 1)}), far})));
}

// As many elements as the other has, where that has more: the length of one number repeated.
RowTerm asLongAs(const RowTerm& x, const RowTerm& other, RowWriter& w) {
  return w.say(F, "where", {rowTruth(other, w), x, x});
}

// Each is divided by its length first, as ATen does: products of large numbers are infinite.
void cosine(const Node* n, RowWriter& w, const char*) {
  checkOperands(n, w);
  Loss l{n, w};
  RowTerm x = l.at(0), y = l.at(1), eps = l.number("eps", 1e-8);
  if (rowResultOf(n, w) == at::kHalf) eps = rowNumber(c10::Half(static_cast<float>(std::stod(eps.text))));
  auto direction = [&](const RowTerm& of, const RowTerm& other) {
    RowTerm length = rowLength(asLongAs(of, other, w), 2, w);
    return l.say("div", {of, l.say("maximum", {length, eps})});
  };
  l.is(l.say("sum", {l.say("mul", {direction(x, y), direction(y, x)})}));
}

}  // namespace

const RowWord kRowLosses[] = {{"aten::mse_loss", squaredError},
                              {"aten::l1_loss", absoluteError},
                              {"aten::smooth_l1_loss", cappedError, "beta"},
                              {"aten::huber_loss", cappedError, "delta"},
                              {"aten::kl_div", divergence},
                              {"aten::binary_cross_entropy_with_logits", crossEntropyOfLogits},
                              {"aten::soft_margin_loss", softMargin},
                              {"aten::margin_ranking_loss", ranking},
                              {"aten::hinge_embedding_loss", hinge},
                              {"aten::poisson_nll_loss", poisson},
                              {nullptr, nullptr}};

const RowWord kRowPairs[] = {{"aten::pairwise_distance", distanceOfRows},
                             {"aten::triplet_margin_loss", triplet},
                             {"aten::cosine_similarity", cosine},
                             {nullptr, nullptr}};

}  // namespace kadvise::graph

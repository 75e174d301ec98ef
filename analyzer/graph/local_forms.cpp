#include "analyzer/graph/local_forms.h"

#include <limits>
#include <unordered_map>

#include "analyzer/graph/first_of_all.h"
#include "analyzer/graph/list_elements.h"
#include "analyzer/graph/loss_forms.h"
#include "analyzer/graph/operator_kinds.h"
#include "analyzer/graph/operator_traits.h"
#include "analyzer/graph/padding_forms.h"
#include "analyzer/graph/squares.h"
#include "analyzer/graph/step.h"

namespace kadvise::graph {
namespace {

using jit::Graph;
using jit::Node;
using jit::Value;
namespace aten = jit::aten;
namespace prim = jit::prim;

// Traces write the bounds of a whole slice as 0 and the largest integer, scripts as None.
void sliceBounds(const Step& s, Node* n) {
  if (n->inputs().size() != 5) return;
  if (constantInt(n->input(2)) == 0) n->replaceInput(2, s.constant(n, c10::IValue()));
  if (constantInt(n->input(3)) == std::numeric_limits<std::int64_t>::max())
    n->replaceInput(3, s.constant(n, c10::IValue()));
  // x[:] aliases x: handing on x itself is the same for everyone who reads or writes elements.
  bool whole = isNone(n->input(2)) && isNone(n->input(3)) && constantInt(n->input(4)) == 1;
  if (whole && !s.isReshaped(n->output())) s.replace(n, n->input(0));
}

void constantChunk(const Step& s, Node* n) {
  Value* count = s.constant(n, n->i(jit::attr::chunks));
  Value* dim = s.constant(n, n->i(jit::attr::dim));
  Node* chunk = s.insert(n, aten::chunk, {n->input(), count, dim});
  chunk->output()->setType(c10::ListType::ofTensors());
  for (std::size_t i = 0; i < n->outputs().size(); ++i) {
    Node* item =
        s.insert(n, aten::__getitem__, {chunk->output(), s.constant(n, static_cast<std::int64_t>(i))});
    item->output()->setType(n->output(i)->type());
    n->output(i)->replaceAllUsesWith(item->output());
  }
  s.dead.push_back(n);
}

// permute that only swaps two dimensions is a transpose.
void permuteOfTwo(const Step& s, Node* n) {
  auto dims = jit::toIValue(n->input(1));
  if (!dims || !dims->isIntList()) return;
  auto order = dims->toIntVector();
  std::vector<std::int64_t> moved;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (order[i] != static_cast<std::int64_t>(i)) moved.push_back(static_cast<std::int64_t>(i));
  if (moved.size() != 2 || order[moved[0]] != moved[1]) return;
  s.replace(n, s.insert(n, aten::transpose, {n->input(0), s.constant(n, moved[0]), s.constant(n, moved[1])})
                   ->output());
}

// matmul(x, w.t()) and addmm(b, x, w.t()) are what a trace makes of a linear layer. t() takes no more than
// two dimensions, so w is a matrix (or a vector, which t() leaves alone and linear takes as well).
void linearLayer(const Step& s, Node* n) {
  bool withBias = n->kind() == aten::addmm;
  Node* t = n->input(withBias ? 2 : 1)->node();
  if (t->kind() != aten::t) return;
  if (withBias && (constantInt(n->input(3)) != 1 || constantInt(n->input(4)) != 1)) return;
  Value* bias = withBias ? n->input(0) : s.constant(n, c10::IValue());
  s.replace(n, s.insert(n, aten::linear, {n->input(withBias ? 1 : 0), t->input(), bias})->output());
}

// Traces write every convolution as _convolution; the number of strides says its rank.
void convolution(const Step& s, Node* n) {
  constexpr const char* kPlain[] = {"conv1d", "conv2d", "conv3d"};
  constexpr const char* kTransposed[] = {"conv_transpose1d", "conv_transpose2d", "conv_transpose3d"};
  auto stride = jit::toIValue(n->input(3)), transposed = jit::toIValue(n->input(6));
  if (!stride || !stride->isIntList() || !transposed || !transposed->isBool()) return;
  auto rank = stride->toIntVector().size();
  if (rank < 1 || rank > 3) return;
  auto in = [&](std::size_t i) { return n->input(i); };
  Node* out = transposed->toBool() ? s.insert(n, c10::Symbol::aten(kTransposed[rank - 1]),
                                              {in(0), in(1), in(2), in(3), in(4), in(7), in(8), in(5)})
                                   : s.insert(n, c10::Symbol::aten(kPlain[rank - 1]),
                                              {in(0), in(1), in(2), in(3), in(4), in(5), in(8)});
  s.replace(n, out->output());
}

bool isScalarTensor(const std::optional<c10::IValue>& v) {
  return v && v->isTensor() && v->toTensor().defined() && v->toTensor().dim() == 0 &&
         !v->toTensor().is_complex();
}

// The value has the dtype of what it fills, be it a number or a tensor.
void scalarFill(const Step& s, Node* n) {
  constexpr std::size_t input = 2;
  auto value = jit::toIValue(n->input(input));
  if (!isScalarTensor(value)) return;
  auto scalar = value->toTensor().item();
  n->replaceInput(input, scalar.isFloatingPoint() ? s.constant(n, scalar.toDouble())
                         : scalar.isBoolean()     ? s.constant(n, scalar.toBool())
                                                  : s.constant(n, scalar.toLong()));
}

// view says that the strides allow it, reshape copies where they do not: the same values, and nobody writes
// to them.
void viewAsReshape(const Step& s, Node* n) {
  bool bySizes = n->inputs().size() == 2 && n->input(1)->type()->isSubtypeOf(*c10::ListType::ofInts());
  if (!bySizes || !s.onlyRead(n)) return;
  s.replace(n, s.insert(n, aten::reshape, {n->input(0), n->input(1)})->output());
}

// bmm and mm are matmul of tensors of three and two dimensions.
void productAsMatmul(const Step& s, Node* n) {
  if (n->inputs().size() == 2) s.replace(n, s.insert(n, aten::matmul, {n->input(0), n->input(1)})->output());
}

// 1 / x is compiled to reciprocal(x) * 1, which has the same dtype and bits as reciprocal(x).
bool isReciprocalTimesOne(const Step& s, Node* n) {
  auto one = n->inputs().size() == 2 ? jit::toIValue(n->input(1)) : std::nullopt;
  bool isOne = one && (one->isInt() || one->isDouble()) && one->toScalar().toDouble() == 1;
  return isOne && n->input(0)->node()->kind() == aten::reciprocal && s.onlyRead(n);
}

void product(const Step& s, Node* n) {
  if (isReciprocalTimesOne(s, n)) s.replace(n, n->input(0));
  else squareOnce(s, n);
}

void power(const Step& s, Node* n) {
  if (!isTensor(n->input(0))) return;
  auto exponent = jit::toIValue(n->input(1));
  if (!exponent || !exponent->isDouble()) return;
  if (exponent->toDouble() == 0.5) s.replace(n, s.insert(n, aten::sqrt, {n->input(0)})->output());
  else if (exponent->toDouble() == -0.5) s.replace(n, s.insert(n, aten::rsqrt, {n->input(0)})->output());
}

void reluOfSix(const Step& s, Node* n) {
  s.replace(n, s.insert(n, aten::hardtanh, {n->input(0), s.constant(n, 0.0), s.constant(n, 6.0)})->output());
}

// max(x, y) of two tensors is maximum(x, y).
void extremeOfTwo(const Step& s, Node* n) {
  if (n->inputs().size() != 2 || !isTensor(n->input(1)) || n->outputs().size() != 1) return;
  auto kind = n->kind() == aten::max ? aten::maximum : aten::minimum;
  s.replace(n, s.insert(n, kind, {n->input(0), n->input(1)})->output());
}

// Operators whose result is a tensor of its own in every call. Of others that is not sure even where nothing
// is shared by their schema: sum_to_size and atleast_1d may hand on what they are given.
bool makesANewTensor(const Node* n) {
  auto kind = kindOf(n).kind;
  return kind == OperatorKind::MatMul || kind == OperatorKind::Convolution ||
         kind == OperatorKind::Attention || kind == OperatorKind::Norm || isPointwise(n);
}

// x is x, and what is made anew is no other tensor.
void identity(const Step& s, Node* n) {
  Value *a = n->input(0), *b = n->input(1);
  auto isKnown = [&](Value* v) { return isTensor(v) && !s.made.count(v->node()); };
  bool isOther = a != b && isKnown(a) && isKnown(b) &&
                 (makesANewTensor(a->node()) || makesANewTensor(b->node())) && !s.aliases.mayAlias(a, b);
  if (a == b || isOther) s.replace(n, s.constant(n, (n->kind() == aten::__is__) == (a == b)));
}

void matrixTranspose(const Step& s, Node* n) {
  s.replace(n, s.insert(n, aten::transpose,
                        {n->input(0), s.constant(n, std::int64_t{-2}), s.constant(n, std::int64_t{-1})})
                   ->output());
}

// var(x, dims, correction=1) is var(x, dims, unbiased=True), by which LibTorch means the same kernel.
void correctionAsFlag(const Step& s, Node* n) {
  auto correction = n->inputs().size() == 4 ? jit::toIValue(n->input(2)) : std::nullopt;
  if (!correction || correction->isBool()) return;
  double less = correction->isNone() ? 1 : correction->toScalar().toDouble();
  if (less == 0 || less == 1) n->replaceInput(2, s.constant(n, less == 1));
}

// A trace says of what it makes that its memory is not pinned, a script says nothing.
void unpinned(const Step& s, Node* n) {
  auto* schema = n->maybeSchema();
  auto place = schema ? schema->argumentIndexWithName("pin_memory") : std::nullopt;
  auto flag = place ? jit::toIValue(n->input(static_cast<std::size_t>(*place))) : std::nullopt;
  if (flag && flag->isBool() && !flag->toBool())
    n->replaceInput(static_cast<std::size_t>(*place), s.constant(n, c10::IValue()));
}

struct Form {
  const char* kind;
  void (*step)(const Step&, Node*);
};
constexpr Form kForms[] = {
    {"aten::matmul", linearLayer},
    {"aten::addmm", linearLayer},
    {"aten::_convolution", convolution},
    {"prim::ListUnpack", unpackByIndex},
    {"aten::__getitem__", elementOfList},
    {"aten::slice", sliceBounds},
    {"prim::ConstantChunk", constantChunk},
    {"aten::permute", permuteOfTwo},
    {"aten::relu6", reluOfSix},
    {"aten::max", extremeOfTwo},
    {"aten::min", extremeOfTwo},
    {"aten::__is__", identity},
    {"aten::__isnot__", identity},
    {"aten::mT", matrixTranspose},
    {"aten::view", viewAsReshape},
    {"aten::_unsafe_view", viewAsReshape},
    {"aten::bmm", productAsMatmul},
    {"aten::mm", productAsMatmul},
    {"aten::mul", product},
    {"aten::square", squareOnce},
    {"aten::pow", power},
    {"aten::masked_fill", scalarFill},
    {"aten::index_select", firstOfAll},
    {"aten::pad", constantPad},
    {"aten::constant_pad_nd", padOfNothing},
    {"aten::var", correctionAsFlag},
    {"aten::std", correctionAsFlag},
    {"aten::var_mean", correctionAsFlag},
    {"aten::std_mean", correctionAsFlag},
    {"aten::zeros", unpinned},
    {"aten::ones", unpinned},
    {"aten::full", unpinned},
    {"aten::zeros_like", unpinned},
    {"aten::ones_like", unpinned},
    {"aten::full_like", unpinned},
    {"aten::new_zeros", unpinned},
    {"aten::new_ones", unpinned},
    {"aten::new_full", unpinned},
    {"aten::mse_loss", reductionApart},
    {"aten::l1_loss", reductionApart},
    {"aten::smooth_l1_loss", reductionApart},
    {"aten::huber_loss", reductionApart},
    {"aten::kl_div", reductionApart},
    {"aten::binary_cross_entropy_with_logits", reductionApart},
    {"aten::soft_margin_loss", reductionApart},
    {"aten::margin_ranking_loss", reductionApart},
    {"aten::hinge_embedding_loss", reductionApart},
    {"aten::poisson_nll_loss", reductionApart},
    {"aten::triplet_margin_loss", reductionApart},
};

}  // namespace

void rewriteLocally(Graph& graph) {
  static const auto byKind = [] {
    std::unordered_map<c10::Symbol, void (*)(const Step&, Node*)> map;
    for (auto& f : kForms) map.emplace(c10::Symbol::fromQualString(f.kind), f.step);
    return map;
  }();
  forEachStep(graph, [](const Step& s, Node* n) {
    auto form = byKind.find(n->kind());
    if (form != byKind.end()) form->second(s, n);
  });
}

}  // namespace kadvise::graph

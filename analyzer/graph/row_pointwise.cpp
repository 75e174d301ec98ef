// Element-wise operators as statements. Arithmetic is done in the type of the result, as ATen promotes; what
// truncates reads 16-bit values as the module has them.
#include <cmath>

#include "analyzer/graph/ir.h"
#include "analyzer/graph/placement.h"
#include "analyzer/graph/row_forms.h"

namespace kadvise::graph {
namespace {

using jit::Node;
using jit::Value;

RowTerm floatOperand(const Node* n, RowWriter& w, std::size_t i) {
  return rowOperand(n, w, i, RowType::Float);
}

void unaryFloat(const Node* n, RowWriter& w, const char* word) {
  w.define(n->output(), w.say(RowType::Float, word, {floatOperand(n, w, 0)}));
}

// Of floats or whole numbers.
void unaryNumber(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowArithmeticType(n, w);
  if (type == RowType::Bool) rowUnsupported("computes with bools");
  w.define(n->output(), w.say(type, word, {rowOperand(n, w, 0, type)}));
}

// Of floats: neighbouring numbers may give results that are far apart.
void unaryStep(const Node* n, RowWriter& w, const char* word) {
  if (rowTypeOf(rowResultOf(n, w)) != RowType::Float) rowUnsupported("rounds whole numbers");
  w.define(n->output(), w.say(RowType::Float, word, {w.roundedTermOf(n->inputs()[0])}));
}

// Halves to even, as the word has it; to decimals is another form. Numbers of 16 bits often are halves, which
// a kernel that rounds nothing in between would step over.
void wholeNumber(const Node* n, RowWriter& w, const char* word) {
  if (n->inputs().size() != 1) rowUnsupported("rounds to decimals");
  if (c10::isReducedFloatingType(rowResultOf(n, w))) rowUnsupported("rounds numbers of 16 bits");
  unaryStep(n, w, word);
}

// A copy in channels_last is one that somebody wants.
void same(const Node* n, RowWriter& w, const char* word) {
  auto format = rowConstantOf(n, "memory_format");
  if (format.isInt() && format.toInt() > static_cast<int>(c10::MemoryFormat::Preserve))
    rowUnsupported("asks for a layout");
  rowSame(n, w, word);
}

// add and sub with alpha.
void sum(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowArithmeticType(n, w);
  if (type == RowType::Bool) rowUnsupported("computes with bools");
  RowTerm a = rowOperand(n, w, 0, type), b = rowOperand(n, w, 1, type);
  double alpha = rowNumberOf(n, "alpha").value_or(1);
  if (alpha != 1 && type != RowType::Float) rowUnsupported("has a factor of whole numbers");
  if (alpha != 1) {
    RowTerm factor = w.termOf(argumentNamed(n, "alpha"));
    b = b.isNumber ? rowNumber(alpha * std::stod(b.text)) : w.say(type, "mul", {b, factor});
  }
  bool turned = std::string_view(word) == "rsub";
  w.define(n->output(), turned ? w.say(type, "sub", {b, a}) : w.say(type, word, {a, b}));
}

// rsub(a, b, alpha) is b - alpha * a.
void turnedDifference(const Node* n, RowWriter& w, const char* word) {
  if (rowNumberOf(n, "alpha").value_or(1) != 1) rowUnsupported("has a factor in a turned difference");
  sum(n, w, word);
}

void product(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowArithmeticType(n, w);
  if (type == RowType::Bool)
    return w.define(
        n->output(),
        w.say(type, "and", {w.as(type, w.termOf(n->inputs()[0])), w.as(type, w.termOf(n->inputs()[1]))}));
  w.define(n->output(), w.say(type, word, {rowOperand(n, w, 0, type), rowOperand(n, w, 1, type)}));
}

void extreme(const Node* n, RowWriter& w, const char* word) {
  RowType type = rowArithmeticType(n, w);
  if (type == RowType::Bool) rowUnsupported("computes with bools");
  w.define(n->output(), w.say(type, word, {rowOperand(n, w, 0, type), rowOperand(n, w, 1, type)}));
}

void quotient(const Node* n, RowWriter& w, const char*) {
  if (argumentNamed(n, "rounding_mode") && !isNone(argumentNamed(n, "rounding_mode")))
    rowUnsupported("divides to whole numbers");
  w.define(n->output(), w.say(RowType::Float, "div", {floatOperand(n, w, 0), floatOperand(n, w, 1)}));
}

// Of floats, in the way that the language has it.
void binaryStep(const Node* n, RowWriter& w, const char* word) {
  if (rowTypeOf(rowResultOf(n, w)) != RowType::Float) rowUnsupported("divides whole numbers");
  auto at = [&](std::size_t i) { return w.as(RowType::Float, w.roundedTermOf(n->inputs()[i])); };
  w.define(n->output(), w.say(RowType::Float, word, {at(0), at(1)}));
}

void power(const Node* n, RowWriter& w, const char* word) {
  if (rowArithmeticType(n, w) != RowType::Float) rowUnsupported("takes powers of whole numbers");
  RowTerm x = floatOperand(n, w, 0), y = floatOperand(n, w, 1);
  double e = y.isNumber ? std::stod(y.text) : 0;
  if (y.isNumber && e == 2) return w.define(n->output(), w.say(RowType::Float, "square", {x}));
  if (y.isNumber && e == 0.5) return w.define(n->output(), w.say(RowType::Float, "sqrt", {x}));
  if (y.isNumber && e == -0.5) return w.define(n->output(), w.say(RowType::Float, "rsqrt", {x}));
  if (y.isNumber && e == -1) return w.define(n->output(), w.say(RowType::Float, "reciprocal", {x}));
  w.define(n->output(), w.say(RowType::Float, word, {x, y}));
}

void scaledProduct(const Node* n, RowWriter& w, const char* word) {
  if (rowArithmeticType(n, w) != RowType::Float) rowUnsupported("computes with whole numbers");
  RowTerm t = w.say(RowType::Float, word, {floatOperand(n, w, 1), floatOperand(n, w, 2)});
  if (rowNumberOf(n, "value").value_or(1) != 1)
    t = w.say(RowType::Float, "mul", {t, w.termOf(argumentNamed(n, "value"))});
  w.define(n->output(), w.say(RowType::Float, "add", {floatOperand(n, w, 0), t}));
}

// The larger, and the logarithm of what the other adds: log(exp(a) + exp(b)). Equal infinities are the
// result.
void logOfTwo(const Node* n, RowWriter& w, const char*) {
  RowTerm a = floatOperand(n, w, 0), b = floatOperand(n, w, 1);
  RowTerm larger = w.say(RowType::Float, "maximum", {a, b});
  RowTerm gap = w.say(RowType::Float, "abs", {w.say(RowType::Float, "sub", {a, b})});
  RowTerm rest =
      w.say(RowType::Float, "log1p", {w.say(RowType::Float, "exp", {w.say(RowType::Float, "neg", {gap})})});
  RowTerm sum = w.say(RowType::Float, "add", {larger, rest});
  RowTerm isInfinite = w.say(RowType::Bool, "isinf", {larger});
  w.define(n->output(), w.say(RowType::Float, "where", {isInfinite, larger, sum}));
}

void between(const Node* n, RowWriter& w, const char*) {
  RowTerm a = floatOperand(n, w, 0), b = floatOperand(n, w, 1);
  RowTerm step = w.say(RowType::Float, "mul", {w.say(RowType::Float, "sub", {b, a}), floatOperand(n, w, 2)});
  w.define(n->output(), w.say(RowType::Float, "add", {a, step}));
}

// A cast to 16 bits is what somebody wants, unlike the rounding of an operator's result; one to 32 bits is
// nothing.
void cast(const Node* n, RowWriter& w, const char*) {
  auto to = rowResultOf(n, w);
  RowTerm x = w.termOf(n->inputs()[0]);
  if (x.isNumber) rowUnsupported("casts a number");
  auto* from = w.traced().find(n->inputs()[0]);
  bool isNothing = from && from->dtype == to;
  if (isNothing || (x.type == RowType::Float && to == at::kFloat)) return w.define(n->output(), x);
  bool narrows = x.type == RowType::Float && rowTypeOf(to) == RowType::Float;
  w.define(n->output(), w.cast(narrows ? x : w.roundedTermOf(n->inputs()[0]), to));
}

}  // namespace

const RowWord kRowPointwise[] = {{"aten::exp", unaryFloat, "exp"},
                                 {"aten::exp2", unaryFloat, "exp2"},
                                 {"aten::expm1", unaryFloat, "expm1"},
                                 {"aten::log", unaryFloat, "log"},
                                 {"aten::log2", unaryFloat, "log2"},
                                 {"aten::log10", unaryFloat, "log10"},
                                 {"aten::log1p", unaryFloat, "log1p"},
                                 {"aten::sqrt", unaryFloat, "sqrt"},
                                 {"aten::rsqrt", unaryFloat, "rsqrt"},
                                 {"aten::reciprocal", unaryFloat, "reciprocal"},
                                 {"aten::sin", unaryFloat, "sin"},
                                 {"aten::cos", unaryFloat, "cos"},
                                 {"aten::tan", unaryFloat, "tan"},
                                 {"aten::tanh", unaryFloat, "tanh"},
                                 {"aten::sinh", unaryFloat, "sinh"},
                                 {"aten::cosh", unaryFloat, "cosh"},
                                 {"aten::asin", unaryFloat, "asin"},
                                 {"aten::acos", unaryFloat, "acos"},
                                 {"aten::atan", unaryFloat, "atan"},
                                 {"aten::erf", unaryFloat, "erf"},
                                 {"aten::erfc", unaryFloat, "erfc"},
                                 {"aten::abs", unaryNumber, "abs"},
                                 {"aten::relu", unaryNumber, "relu"},
                                 {"aten::neg", unaryNumber, "neg"},
                                 {"aten::square", unaryNumber, "square"},
                                 {"aten::floor", unaryStep, "floor"},
                                 {"aten::ceil", unaryStep, "ceil"},
                                 {"aten::round", wholeNumber, "round"},
                                 {"aten::trunc", unaryStep, "trunc"},
                                 {"aten::sign", unaryStep, "sign"},
                                 {"aten::add", sum, "add"},
                                 {"aten::sub", sum, "sub"},
                                 {"aten::rsub", turnedDifference, "rsub"},
                                 {"aten::mul", product, "mul"},
                                 {"aten::div", quotient},
                                 {"aten::true_divide", quotient},
                                 {"aten::fmod", binaryStep, "fmod"},
                                 {"aten::remainder", binaryStep, "remainder"},
                                 {"aten::pow", power, "pow"},
                                 {"aten::maximum", extreme, "maximum"},
                                 {"aten::minimum", extreme, "minimum"},
                                 {"aten::atan2", binaryStep, "atan2"},
                                 {"aten::addcmul", scaledProduct, "mul"},
                                 {"aten::addcdiv", scaledProduct, "div"},
                                 {"aten::lerp", between},
                                 {"aten::logaddexp", logOfTwo},
                                 {"aten::to", cast},
                                 {"aten::type_as", cast},
                                 {"aten::dropout", same},
                                 {"aten::contiguous", same},
                                 {"kadvise::contiguous", same},
                                 {"aten::clone", same},
                                 {"aten::detach", same},
                                 {"aten::alias", same},
                                 {nullptr, nullptr}};

}  // namespace kadvise::graph

#include "kernels/rowprogram/words.h"

#include <iterator>

namespace kadvise::rowprogram {
namespace {

// In the order of the enumerations, by which wordOf finds them.

constexpr PointwiseWord kPointwise[] = {
    {"abs", Pointwise::Abs, 1, Rule::Numbers},
    {"neg", Pointwise::Neg, 1, Rule::Numbers},
    {"exp", Pointwise::Exp, 1, Rule::ToFloat},
    {"exp2", Pointwise::Exp2, 1, Rule::ToFloat},
    {"expm1", Pointwise::Expm1, 1, Rule::ToFloat},
    {"log", Pointwise::Log, 1, Rule::ToFloat},
    {"log2", Pointwise::Log2, 1, Rule::ToFloat},
    {"log10", Pointwise::Log10, 1, Rule::ToFloat},
    {"log1p", Pointwise::Log1p, 1, Rule::ToFloat},
    {"sqrt", Pointwise::Sqrt, 1, Rule::ToFloat},
    {"rsqrt", Pointwise::Rsqrt, 1, Rule::ToFloat},
    {"reciprocal", Pointwise::Reciprocal, 1, Rule::ToFloat},
    {"square", Pointwise::Square, 1, Rule::Numbers},
    {"sin", Pointwise::Sin, 1, Rule::ToFloat},
    {"cos", Pointwise::Cos, 1, Rule::ToFloat},
    {"tan", Pointwise::Tan, 1, Rule::ToFloat},
    {"tanh", Pointwise::Tanh, 1, Rule::ToFloat},
    {"sinh", Pointwise::Sinh, 1, Rule::ToFloat},
    {"cosh", Pointwise::Cosh, 1, Rule::ToFloat},
    {"asin", Pointwise::Asin, 1, Rule::ToFloat},
    {"acos", Pointwise::Acos, 1, Rule::ToFloat},
    {"atan", Pointwise::Atan, 1, Rule::ToFloat},
    {"erf", Pointwise::Erf, 1, Rule::ToFloat},
    {"erfc", Pointwise::Erfc, 1, Rule::ToFloat},
    {"sigmoid", Pointwise::Sigmoid, 1, Rule::ToFloat},
    {"logsigmoid", Pointwise::Logsigmoid, 1, Rule::Floats},
    {"relu", Pointwise::Relu, 1, Rule::Numbers},
    {"relu6", Pointwise::Relu6, 1, Rule::Floats},
    {"silu", Pointwise::Silu, 1, Rule::Floats},
    {"gelu", Pointwise::Gelu, 1, Rule::Floats},
    {"gelu_tanh", Pointwise::GeluTanh, 1, Rule::Floats},
    {"mish", Pointwise::Mish, 1, Rule::Floats},
    {"softplus", Pointwise::Softplus, 1, Rule::Floats},
    {"softsign", Pointwise::Softsign, 1, Rule::Floats},
    {"hardtanh", Pointwise::Hardtanh, 1, Rule::Floats},
    {"hardswish", Pointwise::Hardswish, 1, Rule::Floats},
    {"hardsigmoid", Pointwise::Hardsigmoid, 1, Rule::Floats},
    {"floor", Pointwise::Floor, 1, Rule::Numbers},
    {"ceil", Pointwise::Ceil, 1, Rule::Numbers},
    {"round", Pointwise::Round, 1, Rule::Numbers},
    {"trunc", Pointwise::Trunc, 1, Rule::Numbers},
    {"sign", Pointwise::Sign, 1, Rule::Numbers},
    {"isnan", Pointwise::Isnan, 1, Rule::Compare},
    {"isinf", Pointwise::Isinf, 1, Rule::Compare},
    {"not", Pointwise::Not, 1, Rule::Truth},
    {"add", Pointwise::Add, 2, Rule::Numbers},
    {"sub", Pointwise::Sub, 2, Rule::Numbers},
    {"mul", Pointwise::Mul, 2, Rule::Numbers},
    {"div", Pointwise::Div, 2, Rule::ToFloat},
    {"pow", Pointwise::Pow, 2, Rule::Floats},
    {"maximum", Pointwise::Maximum, 2, Rule::Numbers},
    {"minimum", Pointwise::Minimum, 2, Rule::Numbers},
    {"fmod", Pointwise::Fmod, 2, Rule::Numbers},
    {"remainder", Pointwise::Remainder, 2, Rule::Numbers},
    {"floor_div", Pointwise::FloorDiv, 2, Rule::Numbers},
    {"atan2", Pointwise::Atan2, 2, Rule::ToFloat},
    {"leaky_relu", Pointwise::LeakyRelu, 2, Rule::Floats},
    {"elu", Pointwise::Elu, 2, Rule::Floats},
    {"eq", Pointwise::Eq, 2, Rule::Compare},
    {"ne", Pointwise::Ne, 2, Rule::Compare},
    {"lt", Pointwise::Lt, 2, Rule::Compare},
    {"le", Pointwise::Le, 2, Rule::Compare},
    {"gt", Pointwise::Gt, 2, Rule::Compare},
    {"ge", Pointwise::Ge, 2, Rule::Compare},
    {"and", Pointwise::And, 2, Rule::Truth},
    {"or", Pointwise::Or, 2, Rule::Truth},
    {"xor", Pointwise::Xor, 2, Rule::Truth},
    {"bit_and", Pointwise::BitAnd, 2, Rule::Bits},
    {"bit_or", Pointwise::BitOr, 2, Rule::Bits},
    {"bit_xor", Pointwise::BitXor, 2, Rule::Bits},
    {"bit_not", Pointwise::BitNot, 1, Rule::Bits},
    {"where", Pointwise::Where, 3, Rule::Where},
    {"clamp", Pointwise::Clamp, 3, Rule::Numbers},
    {"fma", Pointwise::Fma, 3, Rule::Floats},
};

constexpr ReductionWord kReductions[] = {
    {"sum", Reduction::Sum, {true, true, true}, {Type::Int, Type::Int, Type::Float}},
    {"mean", Reduction::Mean, {false, false, true}, {Type::Float, Type::Float, Type::Float}},
    {"max", Reduction::Max, {false, true, true}, {Type::Int, Type::Int, Type::Float}},
    {"min", Reduction::Min, {false, true, true}, {Type::Int, Type::Int, Type::Float}},
    {"prod", Reduction::Prod, {false, true, true}, {Type::Int, Type::Int, Type::Float}},
    {"var", Reduction::Var, {false, false, true}, {Type::Float, Type::Float, Type::Float}},
    {"any", Reduction::Any, {true, false, false}, {Type::Bool, Type::Bool, Type::Bool}},
    {"all", Reduction::All, {true, false, false}, {Type::Bool, Type::Bool, Type::Bool}},
    {"argmax", Reduction::Argmax, {false, true, true}, {Type::Int, Type::Int, Type::Int}},
    {"argmin", Reduction::Argmin, {false, true, true}, {Type::Int, Type::Int, Type::Int}},
};

constexpr ElementWord kElements[] = {
    {"bool", Element::Bool, Type::Bool, 1},      {"uint8", Element::UInt8, Type::Int, 1},
    {"int8", Element::Int8, Type::Int, 1},       {"int16", Element::Int16, Type::Int, 2},
    {"int32", Element::Int32, Type::Int, 4},     {"int64", Element::Int64, Type::Int, 8},
    {"float16", Element::Half, Type::Float, 2},  {"bfloat16", Element::BFloat16, Type::Float, 2},
    {"float32", Element::Float, Type::Float, 4}, {"float64", Element::Double, Type::Float, 8},
};

constexpr bool inOrder() {
  for (std::size_t i = 0; i < std::size(kPointwise); ++i)
    if (kPointwise[i].op != static_cast<Pointwise>(i)) return false;
  for (std::size_t i = 0; i < std::size(kReductions); ++i)
    if (kReductions[i].op != static_cast<Reduction>(i)) return false;
  for (std::size_t i = 0; i < std::size(kElements); ++i)
    if (kElements[i].element != static_cast<Element>(i)) return false;
  return std::size(kPointwise) == static_cast<std::size_t>(Pointwise::Fma) + 1;
}
static_assert(inOrder());

}  // namespace

std::span<const PointwiseWord> pointwiseWords() { return kPointwise; }
std::span<const ReductionWord> reductionWords() { return kReductions; }
std::span<const ElementWord> elementWords() { return kElements; }

const PointwiseWord& wordOf(Pointwise op) { return kPointwise[static_cast<std::size_t>(op)]; }
const ReductionWord& wordOf(Reduction op) { return kReductions[static_cast<std::size_t>(op)]; }
const ElementWord& wordOf(Element element) { return kElements[static_cast<std::size_t>(element)]; }

}  // namespace kadvise::rowprogram

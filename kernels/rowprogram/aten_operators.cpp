#include "kernels/rowprogram/aten_operators.h"

#include <ATen/ATen.h>

#include <variant>

namespace kadvise::rowprogram {
namespace {

using at::Tensor;
using T = const Tensor&;

// ---- those that are not one operator of ATen

// Its operators take the slope as a number only.
Tensor leakyRelu(T x, T slope) { return at::where(at::gt(x, 0), x, at::mul(x, slope)); }
Tensor elu(T x, T alpha) { return at::where(at::gt(x, 0), x, at::mul(at::expm1(x), alpha)); }

Tensor softsign(T x) { return at::div(x, at::add(at::abs(x), 1)); }

// On a GPU at::hardswish of doubles is exact to a float only, and doubles are what others are compared with.
Tensor hardswish(T x) {
  if (x.scalar_type() != at::kDouble) return at::hardswish(x);
  return at::div(at::mul(x, at::clamp(at::add(x, 3), 0, 6)), 6);
}

// The product of two floats is exact in double, so that only the sum is rounded before the result is. (In
// double itself, where nothing is wider, the product is rounded, too.)
Tensor fusedMultiplyAdd(T a, T b, T c) {
  const auto wide = [](T t) { return t.to(at::kDouble); };
  return at::add(at::mul(wide(a), wide(b)), wide(c)).to(a.scalar_type());
}

Tensor clamped(T x, T low, T high) { return at::minimum(at::maximum(x, low), high); }

// One dimension at a time is all that ATen has.
Tensor product(T value, at::IntArrayRef dims) {
  Tensor result = value;
  for (const std::int64_t dim : dims) result = at::prod(result, dim, /*keepdim=*/true);
  return result;
}

// NaN where there is nothing, without torch's warning.
Tensor variance(T value, at::IntArrayRef dims) {
  if (value.sym_numel() == 0) return at::mean(value, dims, /*keepdim=*/true);
  return at::var(value, dims, /*unbiased=*/false, /*keepdim=*/true);
}

// ---- the table, in the order of Pointwise

using Unary = Tensor (*)(T);
using Binary = Tensor (*)(T, T);
using Ternary = Tensor (*)(T, T, T);
struct Row {
  Pointwise op;
  std::variant<Unary, Binary, Ternary> compute;
};

constexpr Unary unary(Unary f) { return f; }
constexpr Binary binary(Binary f) { return f; }
constexpr Ternary ternary(Ternary f) { return f; }

const Row kRows[] = {
    {Pointwise::Abs, unary(at::abs)},
    {Pointwise::Neg, unary(at::neg)},
    {Pointwise::Exp, unary(at::exp)},
    {Pointwise::Exp2, unary(at::exp2)},
    {Pointwise::Expm1, unary(at::expm1)},
    {Pointwise::Log, unary(at::log)},
    {Pointwise::Log2, unary(at::log2)},
    {Pointwise::Log10, unary(at::log10)},
    {Pointwise::Log1p, unary(at::log1p)},
    {Pointwise::Sqrt, unary(at::sqrt)},
    {Pointwise::Rsqrt, unary(at::rsqrt)},
    {Pointwise::Reciprocal, unary(at::reciprocal)},
    {Pointwise::Square, unary(at::square)},
    {Pointwise::Sin, unary(at::sin)},
    {Pointwise::Cos, unary(at::cos)},
    {Pointwise::Tan, unary(at::tan)},
    {Pointwise::Tanh, unary(at::tanh)},
    {Pointwise::Sinh, unary(at::sinh)},
    {Pointwise::Cosh, unary(at::cosh)},
    {Pointwise::Asin, unary(at::asin)},
    {Pointwise::Acos, unary(at::acos)},
    {Pointwise::Atan, unary(at::atan)},
    {Pointwise::Erf, unary(at::erf)},
    {Pointwise::Erfc, unary(at::erfc)},
    {Pointwise::Sigmoid, unary(at::sigmoid)},
    {Pointwise::Logsigmoid, unary(at::log_sigmoid)},
    {Pointwise::Relu, unary(at::relu)},
    {Pointwise::Relu6, unary(at::relu6)},
    {Pointwise::Silu, unary(at::silu)},
    {Pointwise::Gelu, unary([](T x) { return at::gelu(x); })},
    {Pointwise::GeluTanh, unary([](T x) { return at::gelu(x, "tanh"); })},
    {Pointwise::Mish, unary(at::mish)},
    {Pointwise::Softplus, unary([](T x) { return at::softplus(x); })},
    {Pointwise::Softsign, unary(softsign)},
    {Pointwise::Hardtanh, unary([](T x) { return at::hardtanh(x); })},
    {Pointwise::Hardswish, unary(hardswish)},
    {Pointwise::Hardsigmoid, unary(at::hardsigmoid)},
    {Pointwise::Floor, unary(at::floor)},
    {Pointwise::Ceil, unary(at::ceil)},
    {Pointwise::Round, unary([](T x) { return at::round(x); })},
    {Pointwise::Trunc, unary(at::trunc)},
    {Pointwise::Sign, unary(at::sign)},
    {Pointwise::Isnan, unary(at::isnan)},
    {Pointwise::Isinf, unary(at::isinf)},
    {Pointwise::Not, unary(at::logical_not)},
    {Pointwise::Add, binary([](T a, T b) { return at::add(a, b); })},
    {Pointwise::Sub, binary([](T a, T b) { return at::sub(a, b); })},
    {Pointwise::Mul, binary(at::mul)},
    {Pointwise::Div, binary(at::div)},
    {Pointwise::Pow, binary(at::pow)},
    {Pointwise::Maximum, binary(at::maximum)},
    {Pointwise::Minimum, binary(at::minimum)},
    {Pointwise::Fmod, binary(at::fmod)},
    {Pointwise::Remainder, binary(at::remainder)},
    {Pointwise::FloorDiv, binary(at::floor_divide)},
    {Pointwise::Atan2, binary(at::atan2)},
    {Pointwise::LeakyRelu, binary(leakyRelu)},
    {Pointwise::Elu, binary(elu)},
    {Pointwise::Eq, binary(at::eq)},
    {Pointwise::Ne, binary(at::ne)},
    {Pointwise::Lt, binary(at::lt)},
    {Pointwise::Le, binary(at::le)},
    {Pointwise::Gt, binary(at::gt)},
    {Pointwise::Ge, binary(at::ge)},
    {Pointwise::And, binary(at::logical_and)},
    {Pointwise::Or, binary(at::logical_or)},
    {Pointwise::Xor, binary(at::logical_xor)},
    {Pointwise::BitAnd, binary(at::bitwise_and)},
    {Pointwise::BitOr, binary(at::bitwise_or)},
    {Pointwise::BitXor, binary(at::bitwise_xor)},
    {Pointwise::BitNot, unary(at::bitwise_not)},
    {Pointwise::Where, ternary(at::where)},
    {Pointwise::Clamp, ternary(clamped)},
    {Pointwise::Fma, ternary(fusedMultiplyAdd)},
};

}  // namespace

Tensor computed(Pointwise op, std::span<const Tensor> x) {
  const Row& row = kRows[static_cast<std::size_t>(op)];
  TORCH_INTERNAL_ASSERT(row.op == op);
  if (const Unary* unary = std::get_if<Unary>(&row.compute)) return (*unary)(x[0]);
  if (const Binary* binary = std::get_if<Binary>(&row.compute)) return (*binary)(x[0], x[1]);
  return std::get<Ternary>(row.compute)(x[0], x[1], x[2]);
}

Tensor reduced(Reduction op, const Tensor& value, at::IntArrayRef dims) {
  switch (op) {
    case Reduction::Sum:
      return at::sum(value, dims, /*keepdim=*/true);
    case Reduction::Mean:
      return at::mean(value, dims, /*keepdim=*/true);
    case Reduction::Max:
      return at::amax(value, dims, /*keepdim=*/true);
    case Reduction::Min:
      return at::amin(value, dims, /*keepdim=*/true);
    case Reduction::Prod:
      return product(value, dims);
    case Reduction::Var:
      return variance(value, dims);
    case Reduction::Any:
      return at::any(value, dims, /*keepdim=*/true);
    case Reduction::All:
      return at::all(value, dims, /*keepdim=*/true);
    case Reduction::Argmax:
      return at::argmax(value, dims[0], /*keepdim=*/true);
    case Reduction::Argmin:
      return at::argmin(value, dims[0], /*keepdim=*/true);
  }
  TORCH_INTERNAL_ASSERT(false);
}

}  // namespace kadvise::rowprogram

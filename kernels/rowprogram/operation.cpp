// Each operator of the language in CUDA. `$0`, `$1`, `$2` are its operands.
#include "kernels/rowprogram/kernel.h"
#include "kernels/rowprogram/words.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>

namespace kadvise::rowprogram {
namespace {

struct Spelling {
  Pointwise op;
  const char* exact;            // of floats
  const char* fast = nullptr;   // of floats whose last bits nobody sees; none: the same
  const char* whole = nullptr;  // of ints; none: it takes floats only
};

constexpr Spelling kSpellings[] = {
    {Pointwise::Abs, "fabsf($0)", nullptr, "($0 < 0 ? -$0 : $0)"},
    {Pointwise::Neg, "(-$0)", nullptr, "(-$0)"},
    {Pointwise::Exp, "expf($0)", "fast_exp($0)"},
    {Pointwise::Exp2, "exp2f($0)", "fast_exp2($0)"},
    {Pointwise::Expm1, "expm1f($0)"},
    {Pointwise::Log, "logf($0)", "fast_log($0)"},
    {Pointwise::Log2, "log2f($0)", "fast_log2($0)"},
    {Pointwise::Log10, "log10f($0)"},
    {Pointwise::Log1p, "log1pf($0)"},
    {Pointwise::Sqrt, "__fsqrt_rn($0)"},
    {Pointwise::Rsqrt, "rsqrtf($0)", "fast_rsqrt($0)"},
    {Pointwise::Reciprocal, "__fdiv_rn(1.f, $0)", "fast_rcp($0)"},
    {Pointwise::Square, "__fmul_rn($0, $0)", "($0 * $0)", "($0 * $0)"},
    {Pointwise::Sin, "sinf($0)"},
    {Pointwise::Cos, "cosf($0)"},
    {Pointwise::Tan, "tanf($0)"},
    {Pointwise::Tanh, "tanhf($0)"},
    {Pointwise::Sinh, "sinhf($0)"},
    {Pointwise::Cosh, "coshf($0)"},
    {Pointwise::Asin, "asinf($0)"},
    {Pointwise::Acos, "acosf($0)"},
    {Pointwise::Atan, "atanf($0)"},
    {Pointwise::Erf, "erff($0)"},
    {Pointwise::Erfc, "erfcf($0)"},
    {Pointwise::Sigmoid, "sigmoid($0)", "fast_sigmoid($0)"},
    {Pointwise::Logsigmoid, "logsigmoid($0)"},
    {Pointwise::Relu, "relu($0)", nullptr, "larger($0, (i64)0)"},
    {Pointwise::Relu6, "within($0, 0.f, 6.f)"},
    {Pointwise::Silu, "silu($0)", "fast_silu($0)"},
    {Pointwise::Gelu, "gelu($0)", "fast_gelu($0)"},
    {Pointwise::GeluTanh, "gelu_tanh($0)", "fast_gelu_tanh($0)"},
    {Pointwise::Mish, "mish($0)"},
    {Pointwise::Softplus, "softplus($0)"},
    {Pointwise::Softsign, "__fdiv_rn($0, __fadd_rn(1.f, fabsf($0)))"},
    {Pointwise::Hardtanh, "within($0, -1.f, 1.f)"},
    {Pointwise::Hardswish, "hardswish($0)"},
    {Pointwise::Hardsigmoid, "hardsigmoid($0)"},
    {Pointwise::Floor, "floorf($0)", nullptr, "$0"},
    {Pointwise::Ceil, "ceilf($0)", nullptr, "$0"},
    {Pointwise::Round, "rintf($0)", nullptr, "$0"},
    {Pointwise::Trunc, "truncf($0)", nullptr, "$0"},
    {Pointwise::Sign, "sign_of($0)", nullptr, "sign_of($0)"},
    {Pointwise::Isnan, "is_nan($0)", nullptr, "($0 != $0)"},
    {Pointwise::Isinf, "(fabsf($0) == INF)", nullptr, "($0 != $0)"},
    {Pointwise::Add, "__fadd_rn($0, $1)", "($0 + $1)", "($0 + $1)"},
    {Pointwise::Sub, "__fadd_rn($0, -$1)", "($0 - $1)", "($0 - $1)"},
    {Pointwise::Mul, "__fmul_rn($0, $1)", "($0 * $1)", "($0 * $1)"},
    {Pointwise::Div, "__fdiv_rn($0, $1)", "fast_div($0, $1)"},
    {Pointwise::Pow, "powf($0, $1)", nullptr, "power($0, $1)"},
    {Pointwise::Maximum, "larger($0, $1)", nullptr, "larger($0, $1)"},
    {Pointwise::Minimum, "smaller($0, $1)", nullptr, "smaller($0, $1)"},
    {Pointwise::Fmod, "fmod_of($0, $1)", nullptr, "fmod_of($0, $1)"},
    {Pointwise::Remainder, "remainder_of($0, $1)", nullptr, "remainder_of($0, $1)"},
    {Pointwise::FloorDiv, "floor_div($0, $1)", nullptr, "floor_div($0, $1)"},
    {Pointwise::Atan2, "atan2f($0, $1)"},
    {Pointwise::LeakyRelu, "($0 > 0.f ? $0 : __fmul_rn($0, $1))"},
    {Pointwise::Elu, "elu($0, $1)"},
    {Pointwise::Eq, "($0 == $1)", nullptr, "($0 == $1)"},
    {Pointwise::Ne, "($0 != $1)", nullptr, "($0 != $1)"},
    {Pointwise::Lt, "($0 < $1)", nullptr, "($0 < $1)"},
    {Pointwise::Le, "($0 <= $1)", nullptr, "($0 <= $1)"},
    {Pointwise::Gt, "($0 > $1)", nullptr, "($0 > $1)"},
    {Pointwise::Ge, "($0 >= $1)", nullptr, "($0 >= $1)"},
    {Pointwise::And, nullptr, nullptr, "($0 && $1)"},
    {Pointwise::Or, nullptr, nullptr, "($0 || $1)"},
    {Pointwise::Xor, nullptr, nullptr, "($0 != $1)"},
    {Pointwise::Not, nullptr, nullptr, "(!$0)"},
    {Pointwise::BitAnd, nullptr, nullptr, "($0 & $1)"},
    {Pointwise::BitOr, nullptr, nullptr, "($0 | $1)"},
    {Pointwise::BitXor, nullptr, nullptr, "($0 ^ $1)"},
    {Pointwise::BitNot, nullptr, nullptr, "(~$0)"},
    {Pointwise::Where, "($0 ? $1 : $2)", nullptr, "($0 ? $1 : $2)"},
    {Pointwise::Clamp, "within($0, $1, $2)", nullptr, "within($0, $1, $2)"},
    {Pointwise::Fma, "__fmaf_rn($0, $1, $2)", nullptr, "($0 * $1 + $2)"},
};

std::string filled(const char* spelling, const std::vector<std::string>& operands) {
  std::string out;
  for (const char* c = spelling; *c; ++c) {
    if (*c != '$') out += *c;
    else out += operands[static_cast<std::size_t>(*++c - '0')];
  }
  return out;
}

// Powers that torch takes by multiplying or by a root.
std::string power(const Statement& s, const std::vector<std::string>& o) {
  const Operand& n = s.operands[1];
  if (n.statement >= 0) return {};
  if (n.number == 2) return filled("__fmul_rn($0, $0)", o);
  if (n.number == 3) return filled("__fmul_rn(__fmul_rn($0, $0), $0)", o);
  if (n.number == 1) return o[0];
  if (n.number == 0.5) return filled("__fsqrt_rn($0)", o);
  if (n.number == -0.5) return filled("rsqrtf($0)", o);
  if (n.number == -1) return filled("__fdiv_rn(1.f, $0)", o);
  if (n.number == -2) return filled("__fdiv_rn(1.f, __fmul_rn($0, $0))", o);
  return {};
}

static_assert(std::size(kSpellings) == static_cast<std::size_t>(Pointwise::Fma) + 1,
              "every operator has a spelling");

}  // namespace

const char* typeName(Type t) { return t == Type::Float ? "float" : t == Type::Int ? "i64" : "bool"; }
std::string elementName(Element e) { return std::string(wordOf(e).name); }
const char* storedName(Element e) {
  switch (bytesOf(e)) {
    case 1:
      return "u8";
    case 2:
      return "u16";
    case 4:
      return "u32";
    default:
      return "u64";
  }
}

std::string numberText(double value, Type type) {
  char text[64];
  if (type == Type::Bool) return value != 0 ? "true" : "false";
  if (type == Type::Int) return cat("(i64)", static_cast<long long>(value), "LL");
  const auto v = static_cast<float>(value);
  if (std::isnan(v)) return "NOT_A_NUMBER";
  if (std::isinf(v)) return v > 0 ? "INF" : "(-INF)";
  std::snprintf(text, sizeof text, "%.9g", v);
  std::string all = text;
  if (all.find_first_of(".e") == std::string::npos) all += ".";
  return v < 0 || std::signbit(v) ? cat("(", all, "f)") : cat(all, "f");
}

std::string operation(const Statement& s, const std::vector<std::string>& operands, bool exact) {
  const auto* spelling = std::find_if(std::begin(kSpellings), std::end(kSpellings) - 1,
                                      [&](const Spelling& p) { return p.op == s.pointwise; });
  if (s.operandType != Type::Float) {
    if (s.pointwise == Pointwise::BitNot && s.operandType == Type::Bool) return filled("(!$0)", operands);
    return filled(spelling->whole ? spelling->whole : spelling->exact, operands);
  }
  if (s.pointwise == Pointwise::Pow)
    if (std::string known = power(s, operands); !known.empty()) return known;
  return filled(!exact && spelling->fast ? spelling->fast : spelling->exact, operands);
}

}  // namespace kadvise::rowprogram

#include "analyzer/source/integer_operators.h"

namespace kadvise::source {

std::optional<std::int64_t> appliedTo(clang::BinaryOperatorKind op, std::int64_t a, std::int64_t b) {
  auto wrap = [](std::uint64_t v) { return static_cast<std::int64_t>(v); };
  auto ua = static_cast<std::uint64_t>(a), ub = static_cast<std::uint64_t>(b);
  switch (op) {
    case clang::BO_Add:
      return wrap(ua + ub);
    case clang::BO_Sub:
      return wrap(ua - ub);
    case clang::BO_Mul:
      return wrap(ua * ub);
    case clang::BO_Div:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
    case clang::BO_Rem:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a % b);
    case clang::BO_Shl:
      return b < 0 || b > 62 ? std::nullopt : std::optional(wrap(ua << b));
    case clang::BO_Shr:
      return b < 0 || b > 62 ? std::nullopt : std::optional(a >> b);
    case clang::BO_And:
      return a & b;
    case clang::BO_Or:
      return a | b;
    case clang::BO_Xor:
      return a ^ b;
    case clang::BO_LT:
      return a < b;
    case clang::BO_GT:
      return a > b;
    case clang::BO_LE:
      return a <= b;
    case clang::BO_GE:
      return a >= b;
    case clang::BO_EQ:
      return a == b;
    case clang::BO_NE:
      return a != b;
    case clang::BO_LAnd:
      return a && b;
    case clang::BO_LOr:
      return a || b;
    default:
      return std::nullopt;
  }
}

}  // namespace kadvise::source

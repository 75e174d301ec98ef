#include "analyzer/source/launch_words.h"

#include "analyzer/source/constants.h"
#include "analyzer/source/fixed_numbers.h"
#include "analyzer/source/place.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 4;

Site siteAt(const Unit& unit, const LaunchSite& launch, const clang::Expr* part, std::string message) {
  Site site;
  site.range = part ? part->getSourceRange() : launch.call->getSourceRange();
  site.function = launch.caller;
  site.message = std::move(message);
  if (launch.through) {
    site.related.push_back(placeOf(unit, launch.through->getSourceRange()));
    site.related.back().note = "called with this";
  }
  return site;
}

// One more by the words of it: + or - something in front of the division.
bool addsSomething(const Unit& unit, const clang::Expr* e) {
  e = axisOf(unit, e, 0);
  auto* sum = llvm::dyn_cast_or_null<clang::BinaryOperator>(e);
  return sum && (sum->getOpcode() == clang::BO_Add || sum->getOpcode() == clang::BO_Sub);
}

// A factor of a product that is a multiple of the constant, in each value that a variable is set to.
bool isMultipleOf(const Unit& unit, const clang::Expr* e, std::int64_t n, int depth = 0) {
  e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  if (auto value = constantOf(unit, e)) return *value % n == 0;
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (b && b->getOpcode() == clang::BO_Mul)
    return isMultipleOf(unit, b->getLHS(), n, depth) || isMultipleOf(unit, b->getRHS(), n, depth);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  auto values = v && depth < kDeepest ? valuesOf(*v) : std::nullopt;
  return values &&
         llvm::all_of(*values, [&](auto* value) { return isMultipleOf(unit, value, n, depth + 1); });
}

// "size + 255" over 256, where the size itself was made a multiple before: nothing is left over.
bool isPadded(const Unit& unit, const clang::BinaryOperator& quotient) {
  auto n = constantOf(unit, quotient.getRHS());
  if (!n || *n <= 1 || quotient.getOpcode() != clang::BO_Div) return false;
  auto* e = axisOf(unit, quotient.getLHS(), 0);
  while (auto* sum = llvm::dyn_cast_or_null<clang::BinaryOperator>(e)) {
    if (!sum->isAdditiveOp() || !constantOf(unit, sum->getRHS())) break;
    e = sum->getLHS()->IgnoreParenCasts();
  }
  return e && isMultipleOf(unit, e, *n);
}

bool isNameOfRoundingUp(llvm::StringRef name) {
  std::string lower = name.lower();
  llvm::StringRef n = lower;
  return n == "ceil" || n == "ceilf" || n == "cdiv" || n == "ceil_div" || n == "ceildiv" || n == "divup" ||
         n == "div_up" || n == "idivup" || n == "updiv" || n == "divceil" || n == "div_ceil" ||
         n == "get_blocks" || n == "div_round_up" || n == "divroundup" || n == "round_up_div";
}

}  // namespace

std::optional<std::int64_t> product(const Extent& e) {
  if (!e[0] || !e[1] || !e[2]) return std::nullopt;
  std::int64_t out = 0;
  if (__builtin_mul_overflow(*e[0], *e[1], &out) || __builtin_mul_overflow(out, *e[2], &out))
    return std::nullopt;
  return out;
}

std::string words(const Extent& e) {
  std::string out;
  for (auto& n : e) out += (out.empty() ? "" : " × ") + (n ? std::to_string(*n) : "?");
  return out;
}

std::string kernelNameOf(const LaunchSite& launch, const char* unknown) {
  return launch.kernel ? launch.kernel->getNameAsString() : unknown;
}

Site siteAtBlock(const Unit& unit, const LaunchSite& launch, std::string message) {
  return siteAt(unit, launch, launch.block, std::move(message));
}

Site siteAtGrid(const Unit& unit, const LaunchSite& launch, std::string message) {
  return siteAt(unit, launch, launch.grid, std::move(message));
}

const clang::Expr* axisOf(const Unit& unit, const clang::Expr* e, int axis) {
  for (int i = 0; e && i < 8; ++i) {
    e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
    if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      bool isCopy = made->getNumArgs() == 1 && !made->getArg(0)->getType()->isIntegerType();
      if (!isCopy && made->getNumArgs() <= static_cast<unsigned>(axis)) return nullptr;
      e = made->getArg(isCopy ? 0 : static_cast<unsigned>(axis));
      if (llvm::isa<clang::CXXDefaultArgExpr>(e)) return nullptr;
      if (!isCopy) axis = 0;
      continue;
    }
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    if (!variable || !variable->getInit() || !isWrittenOnce(unit, *variable)) break;
    e = variable->getInit();
  }
  if (!e || e->getType().isNull()) return nullptr;  // before a template's arguments are known
  bool isNumber = e->getType()->isIntegralOrEnumerationType();
  return axis > 0 && isNumber ? nullptr : e;
}

bool isRoundedUp(const Unit& unit, const clang::Expr* e) {
  e = e ? axisOf(unit, e, 0) : nullptr;
  if (!e) return false;
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    auto* f = call->getDirectCallee();
    if (f && f->getIdentifier() && (f->getName() == "min" || f->getName() == "max") &&
        call->getNumArgs() == 2)
      return f->getName() == "max" &&
             (isRoundedUp(unit, call->getArg(0)) || isRoundedUp(unit, call->getArg(1)));
    return f && f->getIdentifier() && isNameOfRoundingUp(f->getName());
  }
  auto* binary = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!binary) return false;
  if (binary->getOpcode() == clang::BO_Div)
    return binary->getType()->isIntegerType() && addsSomething(unit, binary->getLHS()) &&
           !isPadded(unit, *binary);
  if (binary->getOpcode() == clang::BO_Shr) return addsSomething(unit, binary->getLHS());
  if (binary->getOpcode() != clang::BO_Add) return false;
  auto* quotient = llvm::dyn_cast_or_null<clang::BinaryOperator>(axisOf(unit, binary->getLHS(), 0));
  return quotient && (quotient->getOpcode() == clang::BO_Div || quotient->getOpcode() == clang::BO_Shr);
}

}  // namespace kadvise::source

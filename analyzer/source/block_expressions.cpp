#include <algorithm>
#include <utility>

#include "analyzer/core/hash.h"
#include "analyzer/source/block_simulator.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/integer_operators.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

constexpr int kLongestSum = 400;  // terms: each is a step deeper

bool isTooLong(const clang::BinaryOperator& b) {
  int terms = 0;
  for (auto* at = &b; at && terms <= kLongestSum; ++terms)
    at = llvm::dyn_cast<clang::BinaryOperator>(at->getLHS()->IgnoreParenImpCasts());
  return terms > kLongestSum;
}

bool isPointer(const Lanes& lanes) { return std::ranges::any_of(lanes, &BlockValue::base); }

// How a type holds whole numbers; asked once for all threads.
struct Holding {
  unsigned bits = 64;
  bool isBool = false, isSigned = false;
};
Holding holdingOf(const clang::ASTContext& context, clang::QualType type) {
  if (type.isNull() || type->isDependentType() || !type->isIntegralOrEnumerationType()) return {};
  return {context.getIntWidth(type), type->isBooleanType(), type->isSignedIntegerOrEnumerationType()};
}

// 32 bits wrap round, and unsigned ones are not negative.
std::int64_t wrapped(std::int64_t n, const Holding& as) {
  if (as.isBool) return n != 0;
  if (as.bits >= 64) return n;
  auto cut = static_cast<std::uint64_t>(n) & ((std::uint64_t{1} << as.bits) - 1);
  auto number = static_cast<std::int64_t>(cut);
  return as.isSigned && cut >> (as.bits - 1) ? number - (std::int64_t{1} << as.bits) : number;
}

}  // namespace

Lanes BlockSimulator::murky(const void* of) {
  Lanes out(threads_);
  for (std::size_t i = 0; i < threads_; ++i)
    out[i].number = mixed(mixed(numberOf(of), log_.interval()), static_cast<std::int64_t>(i));
  return out;
}

// The text stands for the value: two mentions of a size are the same size.
Lanes BlockSimulator::madeUp(const std::string& text) {
  out_.hasMadeUp = true;
  std::uint64_t hash = std::stoull(stableHash(text + std::to_string(setting_.seed)), nullptr, 16);
  auto large = static_cast<std::int64_t>(3000 + hash % 1000), tiny = static_cast<std::int64_t>(5 + hash % 7);
  std::int64_t number = setting_.isTiny ? tiny : setting_.seed % 2 ? large | 1 : large / 256 * 256;
  std::uint32_t bit = 1u << std::stoull(stableHash(text), nullptr, 16) % 32;
  return all({Kind::Known, true, number, nullptr, bit});
}

bool BlockSimulator::isUniform(const Lanes& lanes, const Mask& mask) const {
  const BlockValue* first = nullptr;
  for (std::size_t i = 0; i < threads_; ++i) {
    if (mask[i] == Runs::No) continue;
    if (!first) first = &lanes[i];
    bool isSame =
        lanes[i].kind == first->kind && lanes[i].number == first->number && lanes[i].base == first->base;
    if (!isSame) return false;
  }
  return true;
}

std::optional<std::int64_t> BlockSimulator::constant(const clang::Expr* e) {
  auto [known, isNew] = constants_.try_emplace(e);
  if (!isNew) return known->second;
  clang::Expr::EvalResult value;
  bool mayBe = !e->isValueDependent() && !e->isTypeDependent() && e->getType()->isIntegralOrEnumerationType();
  if (mayBe && e->EvaluateAsInt(value, unit_.context) && value.Val.getInt().getSignificantBits() <= 64)
    known->second = value.Val.getInt().isSigned()
                        ? value.Val.getInt().getSExtValue()
                        : static_cast<std::int64_t>(value.Val.getInt().getZExtValue());
  return known->second;
}

Lanes BlockSimulator::evaluate(const clang::Expr* e, const Mask& mask) {
  if (!e || stop_ != Stop::No) return murky(e);
  if (isTired()) return murky(e);
  if (e->getType().isNull() || llvm::isa<clang::RecoveryExpr>(e)) {
    stop_ = Stop::Broken;
    return murky(e);
  }
  if (auto index = builtinIndexOf(e)) {
    auto axis = static_cast<std::size_t>(index->axis);
    auto size = setting_.block;
    if (index->kind == BuiltinIndex::Kind::BlockSize) return known(size[axis]);
    if (index->kind == BuiltinIndex::Kind::GridSize) return known(setting_.isTiny ? 1 : 7);
    if (index->kind == BuiltinIndex::Kind::Block) return known(setting_.isTiny ? 0 : setting_.seed % 2);
    Lanes out(threads_);
    for (std::size_t i = 0; i < threads_; ++i) {
      int at = static_cast<int>(i);
      const int of[] = {at % size[0], at / size[0] % size[1], at / size[0] / size[1]};
      out[i] = {Kind::Known, false, of[axis], nullptr};
    }
    return out;
  }
  e = e->IgnoreParens();
  if (auto n = constant(e)) return known(*n);
  return evaluateOther(e, mask);
}

Lanes BlockSimulator::evaluateOther(const clang::Expr* e, const Mask& mask) {
  if (auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) return evaluateCast(*cast, mask);
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return evaluateVariable(*name, mask);
  if (auto* binary = llvm::dyn_cast<clang::BinaryOperator>(e)) return evaluateBinary(*binary, mask);
  if (auto* unary = llvm::dyn_cast<clang::UnaryOperator>(e)) return evaluateUnary(*unary, mask);
  if (auto* choice = llvm::dyn_cast<clang::ConditionalOperator>(e)) return evaluateChoice(*choice, mask);
  if (auto* called = llvm::dyn_cast<clang::CallExpr>(e)) return call(*called, mask);
  if (auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return evaluate(replaced->getReplacement(), mask);
  if (auto* whole = llvm::dyn_cast<clang::FullExpr>(e)) return evaluate(whole->getSubExpr(), mask);
  if (auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e))
    return evaluate(made->getSubExpr(), mask);
  if (auto* given = llvm::dyn_cast<clang::CXXDefaultArgExpr>(e)) return evaluate(given->getExpr(), mask);
  if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e); made && made->getNumArgs() == 1)
    return evaluate(made->getArg(0), mask);
  if (auto* literal = llvm::dyn_cast<clang::FloatingLiteral>(e))
    return shared(
        mixed(3, static_cast<std::int64_t>(literal->getValue().bitcastToAPInt().getLimitedValue())));
  if (llvm::isa<clang::ArraySubscriptExpr, clang::MemberExpr>(e)) return load(e, place(e, mask), mask);
  if (llvm::isa<clang::LambdaExpr, clang::UnaryExprOrTypeTraitExpr>(e)) return shared(numberOf(e));
  if (auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(e))
    return evaluate(pseudo->getResultExpr(), mask);
  if (auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(e))
    return evaluate(opaque->getSourceExpr(), mask);
  // Of anything else the parts are looked at for what they touch.
  Lanes out = shared(mixed(4, e->getStmtClass()));
  for (auto* child : e->children())
    if (auto* part = llvm::dyn_cast_or_null<clang::Expr>(child))
      out = combine(clang::BO_Comma, out, evaluate(part, mask), e->getType(), mask);
  return out;
}

Lanes BlockSimulator::evaluateCast(const clang::CastExpr& cast, const Mask& mask) {
  const clang::Expr* inner = cast.getSubExpr();
  if (cast.getCastKind() == clang::CK_ArrayToPointerDecay) return place(inner, mask);
  if (cast.getCastKind() == clang::CK_FunctionToPointerDecay) return shared(numberOf(inner));
  bool fromOpenArray = inner->getType()->isArrayType() || inner->IgnoreParens()->getType()->isArrayType();
  Lanes out = fromOpenArray ? place(inner, mask) : evaluate(inner, mask);
  if (cast.getType()->isBooleanType())
    for (auto& v : out)
      if (v.kind == Kind::Known) v.number = v.base || v.number, v.base = nullptr;
  if (!cast.getType()->isIntegralOrEnumerationType()) return out;
  const Holding holding = holdingOf(unit_.context, cast.getType());
  for (auto& v : out)
    if (v.kind == Kind::Known && !v.base) v.number = wrapped(v.number, holding);
  return out;
}

Lanes BlockSimulator::combinePointer(clang::BinaryOperatorKind op, const Lanes& pointer, const Lanes& by,
                                     std::int64_t bytes, const Mask& mask) const {
  Lanes out = pointer;
  bool startsTogether = isUniform(pointer, mask);
  for (std::size_t i = 0; i < threads_; ++i) {
    bool isOpen = pointer[i].kind != Kind::Known || by[i].kind != Kind::Known;
    out[i].isMadeUp |= by[i].isMadeUp, out[i].sizes |= by[i].sizes;
    if (!isOpen) {
      out[i].number += (op == clang::BO_Sub || op == clang::BO_SubAssign ? -1 : 1) * by[i].number * bytes;
      continue;
    }
    bool isAny = startsTogether && pointer[i].kind == Kind::Known && by[i].kind == Kind::Loaded;
    out[i].kind = isAny ? Kind::Loaded : Kind::Murky;
    out[i].number = mixed(mixed(pointer[i].number, by[i].number), op);
  }
  return out;
}

// "lane < count": by a count that all threads loaded alike, all of them are within it, or none is.
std::optional<bool> BlockSimulator::withinLoaded(clang::BinaryOperatorKind op, const BlockValue& place,
                                                 const BlockValue& count) {
  if (place.kind != Kind::Known || place.base || count.kind != Kind::Loaded) return std::nullopt;
  out_.hasMadeUp = true;
  bool areWithin = mixed(count.number, setting_.seed) % 3 != 0;
  return areWithin == (op == clang::BO_LT || op == clang::BO_LE);
}

Lanes BlockSimulator::combine(clang::BinaryOperatorKind op, const Lanes& a, const Lanes& b,
                              clang::QualType type, const Mask& mask) {
  if (type->isPointerType() && (isPointer(a) || isPointer(b))) {
    auto bytes = type->getPointeeType()->isIncompleteType() || type->getPointeeType()->isDependentType() ||
                         type->getPointeeType()->isFunctionType()
                     ? 4
                     : unit_.context.getTypeSizeInChars(type->getPointeeType()).getQuantity();
    return isPointer(a) ? combinePointer(op, a, b, bytes, mask) : combinePointer(op, b, a, bytes, mask);
  }
  // A number that differs between threads binds what it is added to.
  bool aIsShared = isUniform(a, mask), bIsShared = isUniform(b, mask);
  const Holding holding = holdingOf(unit_.context, type);
  Lanes out(threads_);
  for (std::size_t i = 0; i < threads_; ++i) {
    out[i].isMadeUp = a[i].isMadeUp || b[i].isMadeUp, out[i].sizes = a[i].sizes | b[i].sizes;
    out[i].mayBeEqual = a[i].mayBeEqual || b[i].mayBeEqual;
    // Places in one array compare as their distances from its beginning do.
    bool areNumbers = a[i].base == b[i].base && (!a[i].base || clang::BinaryOperator::isComparisonOp(op));
    bool areKnown = a[i].kind == Kind::Known && b[i].kind == Kind::Known && areNumbers;
    if (auto n = areKnown ? appliedTo(op, a[i].number, b[i].number) : std::nullopt) {
      out[i].kind = Kind::Known, out[i].number = wrapped(*n, holding);
      continue;
    }
    if (auto is = clang::BinaryOperator::isRelationalOp(op) && aIsShared != bIsShared
                      ? aIsShared ? withinLoaded(clang::BinaryOperator::reverseComparisonOp(op), b[i], a[i])
                                  : withinLoaded(op, a[i], b[i])
                      : std::nullopt) {
      out[i] = {Kind::Known, true, *is, nullptr};
      continue;
    }
    bool isFree = (a[i].kind == Kind::Loaded || aIsShared) && (b[i].kind == Kind::Loaded || bIsShared) &&
                  a[i].kind != Kind::Murky && b[i].kind != Kind::Murky;
    out[i].kind = isFree ? Kind::Loaded : Kind::Murky;
    out[i].number = mixed(mixed(a[i].number, b[i].number), op);
  }
  return out;
}

Lanes BlockSimulator::evaluateBinary(const clang::BinaryOperator& b, const Mask& mask) {
  auto op = b.getOpcode();
  if (isTooLong(b)) stop_ = Stop::Unsupported;
  if (b.isLogicalOp()) return evaluateLogical(b, mask);
  if (op == clang::BO_Comma) {
    evaluate(b.getLHS(), mask);
    return evaluate(b.getRHS(), mask);
  }
  if (!b.isAssignmentOp()) {
    Lanes left = evaluate(b.getLHS(), mask);
    return combine(op, left, evaluate(b.getRHS(), mask), b.getType(), mask);
  }
  Lanes value = evaluate(b.getRHS(), mask);
  if (b.isCompoundAssignmentOp())
    update(clang::BinaryOperator::getOpForCompoundAssignment(op), b.getLHS(), value, mask);
  else store(b.getLHS(), value, mask);
  return value;
}

Lanes BlockSimulator::evaluateUnary(const clang::UnaryOperator& u, const Mask& mask) {
  if (u.getOpcode() == clang::UO_AddrOf) {
    bool wasAddressed = std::exchange(isAddressed_, true);
    Lanes out = place(u.getSubExpr(), mask);
    isAddressed_ = wasAddressed;
    return out;
  }
  if (u.getOpcode() == clang::UO_Deref) return load(&u, place(&u, mask), mask);
  if (u.isIncrementDecrementOp()) {
    auto op = u.isIncrementOp() ? clang::BO_Add : clang::BO_Sub;
    Lanes before = update(op, u.getSubExpr(), known(1), mask);
    return u.isPrefix() ? combine(op, before, known(1), u.getType(), mask) : before;
  }
  Lanes value = evaluate(u.getSubExpr(), mask);
  const Holding holding = holdingOf(unit_.context, u.getType());
  for (auto& v : value) {
    bool isNumber = v.kind == Kind::Known && !v.base;
    if (u.getOpcode() == clang::UO_LNot && v.kind == Kind::Known)
      v.number = !(v.base || v.number), v.base = nullptr;
    else if (u.getOpcode() == clang::UO_Minus && isNumber) v.number = wrapped(-v.number, holding);
    else if (u.getOpcode() == clang::UO_Not && isNumber) v.number = wrapped(~v.number, holding);
    else if (!isNumber) v.number = mixed(v.number, u.getOpcode());
  }
  return value;
}

Lanes BlockSimulator::evaluateVariable(const clang::DeclRefExpr& name, const Mask& mask) {
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return shared(numberOf(name.getDecl()->getCanonicalDecl()));
  if (auto bound = references_.find(variable); bound != references_.end()) {
    if (!bound->second.variable) return load(&name, bound->second.place, mask);
    variable = bound->second.variable;
  }
  if (auto known = variables_.find(variable); known != variables_.end()) return known->second;
  if (variable->getType()->isArrayType() || variable->hasAttr<clang::CUDASharedAttr>())
    return load(&name, placeOfVariable(name), mask);
  auto* parameter = llvm::dyn_cast<clang::ParmVarDecl>(variable);
  if (parameter && parameter->getDeclContext() == &kernel_) {
    auto type = parameter->getType();
    if (type->isPointerType()) return all({Kind::Known, false, 0, parameter});
    if (auto given = setting_.sizes.find(parameter); given != setting_.sizes.end())
      return known(given->second);
    if (type->isIntegerType() && !type->isBooleanType()) return madeUp(parameter->getNameAsString());
    return shared(mixed(numberOf(parameter), setting_.seed));
  }
  if (!parameter && !variable->hasLocalStorage()) return shared(mixed(numberOf(variable), log_.interval()));
  return murky(variable);
}

}  // namespace kadvise::source

#include <algorithm>

#include "analyzer/source/addresses.h"
#include "analyzer/source/block_simulator.h"

namespace kadvise::source {
namespace {

using Kind = BlockValue::Kind;

bool isShared(const clang::ValueDecl* base) { return base && base->hasAttr<clang::CUDASharedAttr>(); }

// How many elements the array has that is indexed; none where its type does not say.
std::optional<std::int64_t> elementsOf(const Unit& unit, const clang::Expr* array) {
  array = array->IgnoreParenImpCasts();
  if (array->getType()->isDependentType()) return std::nullopt;
  auto* type = unit.context.getAsConstantArrayType(array->getType().getNonReferenceType());
  return type ? std::optional(static_cast<std::int64_t>(type->getSize().getZExtValue())) : std::nullopt;
}

bool isVolatile(const clang::Expr* site) { return site->getType().isVolatileQualified(); }

}  // namespace

Lanes BlockSimulator::placeOfVariable(const clang::DeclRefExpr& name) {
  auto* variable = llvm::dyn_cast<clang::VarDecl>(name.getDecl());
  if (!variable) return murky(&name);
  if (auto bound = references_.find(variable); bound != references_.end()) {
    if (!bound->second.variable) return bound->second.place;
    variable = bound->second.variable;
  }
  return all({Kind::Known, false, 0, variable});
}

// INT64_MAX: nobody knows.
std::int64_t BlockSimulator::bytesOfArray(const clang::ValueDecl* base) const {
  auto type = base->getType();
  if (type->isDependentType()) return INT64_MAX;
  if (type->isIncompleteArrayType()) return setting_.dynamicBytes.value_or(INT64_MAX);
  return type->isConstantArrayType() ? bytesOf(unit_, type) : INT64_MAX;
}

bool BlockSimulator::isOverrun(const clang::ValueDecl* array) const {
  return out_.overrun && out_.overrun->array == array;
}

// Who walks from row to row by the index of the last one stays in the array.
void BlockSimulator::leaveArray(const clang::Expr& site, const Lanes& at, std::int64_t bytes,
                                const Mask& mask) {
  if (isAddressed_ || guesses_ > 0 || out_.overrun) return;
  bool isOfAll = std::all_of(mask.begin(), mask.end(), [](auto r) { return r == Runs::Yes; });
  bool isSure = isOfAll && !isGuess(at, mask);
  for (std::size_t i = 0; i < threads_ && !out_.overrun; ++i) {
    if (mask[i] != Runs::Yes || !isShared(at[i].base)) continue;
    std::int64_t size = bytesOfArray(at[i].base);
    bool isOfNothing = size == 0 && !at[i].isMadeUp;
    bool isBehind = isOfNothing || (isSure && at[i].number >= 0 && at[i].number > size - bytes);
    if (!isBehind) continue;
    out_.overrun = Overrun{&site, at[i].base, static_cast<int>(i), {}};
    for (auto& g : guards_) out_.overrun->conditions.push_back(g.condition);
  }
}

Lanes BlockSimulator::placeOfElement(const clang::ArraySubscriptExpr& e, const Mask& mask) {
  const clang::Expr* array = e.getBase()->IgnoreParens();
  Lanes from = array->getType()->isArrayType() ? place(array, mask) : evaluate(array, mask);
  Lanes index = evaluate(e.getIdx(), mask);
  auto extent = elementsOf(unit_, array);
  auto elementType = e.getType();
  const clang::ValueDecl* left = nullptr;
  for (std::size_t i = 0; extent && i < threads_ && !left; ++i) {
    bool counts = mask[i] == Runs::Yes && index[i].kind == Kind::Known && isShared(from[i].base);
    if (counts && (index[i].number < 0 || index[i].number >= *extent)) left = from[i].base;
  }
  if (left) {
    std::int64_t bytes = bytesOf(unit_, elementType);
    leaveArray(e, combinePointer(clang::BO_Add, from, index, bytes, mask), bytes, mask);
    if (!isOverrun(left)) stop_ = Stop::LeftArray;
  }
  // A row of a size that a template leaves open.
  bool isOpen =
      elementType->isArrayType() && (elementType->isDependentType() || elementType->isVariableArrayType());
  if (isOpen)
    for (auto& v : index) v.kind = Kind::Murky;
  return combinePointer(clang::BO_Add, from, index, bytesOf(unit_, elementType), mask);
}

// Where an lvalue lies.
Lanes BlockSimulator::place(const clang::Expr* e, const Mask& mask) {
  if (!e || stop_ != Stop::No) return murky(e);
  e = e->IgnoreParens();
  if (auto* element = llvm::dyn_cast<clang::ArraySubscriptExpr>(e)) return placeOfElement(*element, mask);
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return placeOfVariable(*name);
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_Deref) {
    const clang::Expr* pointer = u->getSubExpr()->IgnoreParens();
    return pointer->getType()->isArrayType() ? place(pointer, mask) : evaluate(pointer, mask);
  }
  if (auto* member = llvm::dyn_cast<clang::MemberExpr>(e)) {
    Lanes out = member->isArrow() ? evaluate(member->getBase(), mask) : place(member->getBase(), mask);
    auto* field = llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl());
    bool isLaidOut =
        field && !field->getParent()->isDependentContext() && !field->getParent()->isInvalidDecl();
    if (!isLaidOut) return murky(e);
    auto& layout = unit_.context.getASTRecordLayout(field->getParent());
    auto offset = static_cast<std::int64_t>(layout.getFieldOffset(field->getFieldIndex()) / 8);
    for (auto& v : out) v.number = v.kind == Kind::Known ? v.number + offset : mixed(v.number, offset);
    return out;
  }
  if (auto* cast = llvm::dyn_cast<clang::CastExpr>(e)) return place(cast->getSubExpr(), mask);
  if (auto* whole = llvm::dyn_cast<clang::FullExpr>(e)) return place(whole->getSubExpr(), mask);
  if (auto* made = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) return place(made->getSubExpr(), mask);
  if (auto* replaced = llvm::dyn_cast<clang::SubstNonTypeTemplateParmExpr>(e))
    return place(replaced->getReplacement(), mask);
  // "*p++ = x", "(x += 1) = 2": the value is where the thing itself is.
  evaluate(e, mask);
  return murky(e);
}

void BlockSimulator::touch(const clang::Expr* site, const Lanes& at, const Lanes* values, TouchKind kind,
                           std::int64_t bytes, const Mask& mask) {
  if (stop_ != Stop::No) return;
  if (setting_.dynamicBytes) leaveArray(*site, at, bytes, mask);
  for (std::size_t i = 0; i < threads_; ++i) {
    if (mask[i] != Runs::Yes || !isShared(at[i].base) || at[i].kind == Kind::Murky) continue;
    Touch t{site, static_cast<int>(i), kind, polls_ || isVolatile(site)};
    t.outermost = outermost_, t.sizes = at[i].sizes;
    if (values) {
      auto& v = (*values)[i];
      t.value = v.number, t.isOfWarp = v.kind == Kind::Murky, t.mayBeEqual = v.mayBeEqual;
    }
    if (at[i].kind == Kind::Loaded) {
      log_.touchAny(t, at[i].base);
      continue;
    }
    // Dynamic memory may be of another launch than the one that this block stands for.
    bool isDynamic = at[i].base->getType()->isIncompleteArrayType();
    bool isInside = at[i].number >= 0 && (isDynamic || at[i].number <= bytesOfArray(at[i].base) - bytes);
    if (!isInside && !isOverrun(at[i].base)) {
      stop_ = Stop::LeftArray;
      return;
    }
    log_.touch(t, at[i].base, at[i].number, bytes);
  }
}

// Of an array that never changes, the number that stands there.
std::optional<std::int64_t> BlockSimulator::elementOfConstant(const clang::ValueDecl* base,
                                                              std::int64_t offset,
                                                              clang::QualType type) const {
  auto* array = llvm::dyn_cast_or_null<clang::VarDecl>(base);
  if (!array || array->getType()->isDependentType() || !type->isIntegralOrEnumerationType())
    return std::nullopt;
  auto* of = unit_.context.getAsConstantArrayType(array->getType());
  bool isOfThese = of && unit_.context.hasSameUnqualifiedType(of->getElementType(), type);
  auto* init = isOfThese ? array->getAnyInitializer() : nullptr;
  bool isConstant = init && of->getElementType().isConstQualified() && !init->isValueDependent();
  auto* values = isConstant ? array->evaluateValue() : nullptr;
  std::int64_t bytes = bytesOf(unit_, type), at = bytes > 0 ? offset / bytes : -1;
  if (!values || !values->isArray() || offset < 0 || at < 0 || offset % bytes != 0 ||
      at >= static_cast<std::int64_t>(values->getArraySize()))
    return std::nullopt;
  bool isFiller = at >= static_cast<std::int64_t>(values->getArrayInitializedElts());
  auto& value =
      isFiller ? values->getArrayFiller() : values->getArrayInitializedElt(static_cast<unsigned>(at));
  bool isNumber = value.isInt() && value.getInt().getSignificantBits() <= 64;
  return isNumber ? std::optional(value.getInt().getExtValue()) : std::nullopt;
}

Lanes BlockSimulator::load(const clang::Expr* e, const Lanes& at, const Mask& mask) {
  touch(e, at, nullptr, TouchKind::Read, bytesOf(unit_, e->getType()), mask);
  Lanes out(threads_);
  for (std::size_t i = 0; i < threads_; ++i) {
    auto* variable = llvm::dyn_cast_or_null<clang::VarDecl>(at[i].base);
    bool isOwn = !variable || (variable->hasLocalStorage() && !isShared(variable) &&
                               !llvm::isa<clang::ParmVarDecl>(variable));
    std::int64_t number = mixed(mixed(numberOf(at[i].base), at[i].number), log_.interval());
    // A field of a variable that holds what was loaded.
    auto known = variable ? variables_.find(variable) : variables_.end();
    if (known != variables_.end() && isOwn) {
      auto& whole = known->second[i];
      out[i] = whole;
      bool isWhole =
          at[i].kind == Kind::Known && at[i].number == 0 &&
          variable->getType().getNonReferenceType().getCanonicalType() == e->getType().getCanonicalType();
      if (!isWhole)
        out[i] = {whole.kind == Kind::Known ? Kind::Murky : whole.kind, false,
                  mixed(whole.number, at[i].number), nullptr};
      continue;
    }
    auto constant =
        at[i].kind == Kind::Known ? elementOfConstant(variable, at[i].number, e->getType()) : std::nullopt;
    if (constant) {
      out[i] = {Kind::Known, at[i].isMadeUp, *constant, nullptr};
      continue;
    }
    bool isOpen = at[i].kind == Kind::Murky || isOwn;
    out[i] = {isOpen ? Kind::Murky : Kind::Loaded, false, number, nullptr};
    if (isOpen) out[i].number = mixed(number, static_cast<std::int64_t>(i));
    out[i].mayBeEqual = isOwn;  // what a thread keeps in an array of its own is not followed
  }
  return out;
}

// A variable of the thread, looking through references and fields; null: memory that others see.
const clang::VarDecl* BlockSimulator::plainVariable(const clang::Expr* e) const {
  e = e->IgnoreParenCasts();
  while (true) {
    if (auto* member = llvm::dyn_cast<clang::MemberExpr>(e); member && !member->isArrow())
      e = member->getBase()->IgnoreParenCasts();
    else if (auto* call = llvm::dyn_cast<clang::CXXOperatorCallExpr>(e); call && call->getNumArgs() > 0)
      e = call->getArg(0)->IgnoreParenCasts();
    else break;
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable) return nullptr;
  if (auto bound = references_.find(variable); bound != references_.end()) return bound->second.variable;
  bool isOwn = variable->hasLocalStorage() && !isShared(variable) && !variable->getType()->isReferenceType();
  return isOwn && !variable->getType()->isArrayType() ? variable : nullptr;
}

Lanes BlockSimulator::update(clang::BinaryOperatorKind op, const clang::Expr* target, const Lanes& by,
                             const Mask& mask) {
  if (plainVariable(target)) {
    Lanes before = evaluate(target, mask);
    store(target, combine(op, before, by, target->getType(), mask), mask);
    return before;
  }
  Lanes at = place(target, mask), before = load(target, at, mask);
  Lanes after = combine(op, before, by, target->getType(), mask);
  touch(target, at, &after, TouchKind::Write, bytesOf(unit_, target->getType()), mask);
  return before;
}

void BlockSimulator::store(const clang::Expr* target, const Lanes& values, const Mask& mask) {
  if (stop_ != Stop::No) return;
  target = target->IgnoreParens();
  auto* variable = plainVariable(target);
  if (!variable) {
    touch(target, place(target, mask), &values, TouchKind::Write, bytesOf(unit_, target->getType()), mask);
    return;
  }
  bool isWhole = llvm::isa<clang::DeclRefExpr>(target->IgnoreParenCasts());
  auto known = variables_.find(variable);
  if (known == variables_.end()) {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(target->IgnoreParenCasts());
    Lanes before = name && name->getDecl() == variable ? evaluateVariable(*name, mask) : murky(variable);
    known = variables_.emplace(variable, before).first;
  }
  auto declared = declaredIn_.find(variable);
  int region = declared == declaredIn_.end() ? -1 : declared->second;
  for (std::size_t i = 0; i < threads_; ++i) {
    auto& v = known->second[i];
    if (mask[i] == Runs::No) continue;
    if (isExact(mask[i], region) && isWhole) v = values[i];
    else {
      bool mayBeEqual = v.mayBeEqual || values[i].mayBeEqual;
      v = {Kind::Murky, false, mixed(mixed(v.number, values[i].number), static_cast<std::int64_t>(i)),
           nullptr};
      v.mayBeEqual = mayBeEqual;
    }
  }
}

}  // namespace kadvise::source

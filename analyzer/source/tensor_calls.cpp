#include "analyzer/source/tensor_calls.h"

#include <llvm/ADT/StringSwitch.h>

#include <cmath>

#include "analyzer/source/tensor_words.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 8;

bool isInNamespaceOfTorch(const clang::Decl& d) {
  const clang::NamespaceDecl* outermost = nullptr;
  for (auto* c = d.getDeclContext(); c && !c->isTranslationUnit(); c = c->getParent()) {
    if (c->isRecord()) return false;
    if (auto* n = llvm::dyn_cast<clang::NamespaceDecl>(c); n && !n->isInline()) outermost = n;
  }
  return outermost && (outermost->getName() == "at" || outermost->getName() == "torch");
}

// The operand that is given; null for a default of the declaration.
void take(const clang::Expr* e, std::vector<const clang::Expr*>& out) {
  if (!llvm::isa<clang::CXXDefaultArgExpr>(e)) out.push_back(e);
}

llvm::StringRef wordOf(clang::OverloadedOperatorKind op, unsigned operands) {
  switch (op) {
    case clang::OO_Plus:
    case clang::OO_PlusEqual:
      return "add";
    case clang::OO_Minus:
      return operands == 1 ? "neg" : "sub";
    case clang::OO_MinusEqual:
      return "sub";
    case clang::OO_Star:
    case clang::OO_StarEqual:
      return "mul";
    case clang::OO_Slash:
    case clang::OO_SlashEqual:
      return "div";
    case clang::OO_Less:
      return "lt";
    case clang::OO_Greater:
      return "gt";
    case clang::OO_LessEqual:
      return "le";
    case clang::OO_GreaterEqual:
      return "ge";
    case clang::OO_EqualEqual:
      return "eq";
    case clang::OO_ExclaimEqual:
      return "ne";
    case clang::OO_Amp:
    case clang::OO_AmpEqual:
      return "bitwise_and";
    case clang::OO_Tilde:
      return "logical_not";
    case clang::OO_Subscript:
      return "select";
    default:
      return "";
  }
}

bool isAssigning(clang::OverloadedOperatorKind op) {
  return op == clang::OO_PlusEqual || op == clang::OO_MinusEqual || op == clang::OO_StarEqual ||
         op == clang::OO_SlashEqual || op == clang::OO_AmpEqual;
}

TensorCall named(llvm::StringRef name, bool isMethod) {
  TensorCall out;
  out.isInPlace = name.size() > 2 && name.ends_with("_") && !name.ends_with("__");
  out.word = plainWord(out.isInPlace ? name.drop_back() : name).str();
  out.isMethod = isMethod;
  return out;
}

std::optional<TensorCall> byOperator(const clang::CXXOperatorCallExpr& call) {
  auto word = wordOf(call.getOperator(), call.getNumArgs());
  bool any = false;
  for (auto* a : call.arguments()) any |= isTensor(a->IgnoreParenImpCasts()->getType());
  if (word.empty() || !any) return std::nullopt;
  if (call.getOperator() == clang::OO_Subscript && !isTensor(call.getArg(0)->getType())) return std::nullopt;
  TensorCall out;
  out.word = word.str();
  out.isInPlace = isAssigning(call.getOperator());
  for (auto* a : call.arguments()) take(a, out.operands);
  return out;
}

std::optional<double> ofArithmetic(clang::BinaryOperatorKind op, double a, double b) {
  switch (op) {
    case clang::BO_Add:
      return a + b;
    case clang::BO_Sub:
      return a - b;
    case clang::BO_Mul:
      return a * b;
    case clang::BO_Div:
      return b == 0 ? std::nullopt : std::optional(a / b);
    default:
      return std::nullopt;
  }
}

std::optional<double> evaluated(const Unit& unit, const clang::Expr* e) {
  clang::Expr::EvalResult value;
  if (e->isValueDependent() || e->isTypeDependent() || !e->EvaluateAsRValue(value, unit.context))
    return std::nullopt;
  if (value.Val.isInt()) return static_cast<double>(value.Val.getInt().getExtValue());
  if (value.Val.isFloat()) return value.Val.getFloat().convertToDouble();
  return std::nullopt;
}

std::optional<double> numberOf(const Unit& unit, const clang::Expr* e, int depth) {
  e = bareExpr(e);
  if (!e || depth > kDeepest || e->isTypeDependent()) return std::nullopt;
  if (e->getType()->isArithmeticType() || e->getType()->isEnumeralType())
    if (auto known = evaluated(unit, e)) return known;
  if (auto* part = onlyPart(e)) return numberOf(unit, part, depth + 1);
  if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e))
    return numberOf(unit, cast->getSubExpr(), depth + 1);
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_Minus) {
    auto v = numberOf(unit, u->getSubExpr(), depth + 1);
    return v ? std::optional(-*v) : std::nullopt;
  }
  if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) {
    auto x = numberOf(unit, b->getLHS(), depth + 1), y = numberOf(unit, b->getRHS(), depth + 1);
    return x && y ? ofArithmetic(b->getOpcode(), *x, *y) : std::nullopt;
  }
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    auto* f = call->getDirectCallee();
    bool isRoot = f && f->getIdentifier() && (f->getName() == "sqrt" || f->getName() == "sqrtf");
    auto v = isRoot && call->getNumArgs() == 1 ? numberOf(unit, call->getArg(0), depth + 1) : std::nullopt;
    return v && *v >= 0 ? std::optional(std::sqrt(*v)) : std::nullopt;
  }
  auto* variable = variableOf(e);
  if (!variable || !variable->getInit() || !isWrittenOnce(unit, *variable)) return std::nullopt;
  return numberOf(unit, variable->getInit(), depth + 1);
}

}  // namespace

bool isTensor(clang::QualType t) {
  auto* record = t.getNonReferenceType()->getAsCXXRecordDecl();
  if (!record || !record->getIdentifier()) return false;
  if (record->getName() != "Tensor" && record->getName() != "TensorBase") return false;
  auto* place = llvm::dyn_cast<clang::NamespaceDecl>(record->getDeclContext());
  return place && place->getName() == "at";
}

const clang::Expr* bareExpr(const clang::Expr* e) {
  for (int i = 0; e && i < 24; ++i) {
    const clang::Expr* before = e;
    e = e->IgnoreParenImpCasts();
    if (auto* full = llvm::dyn_cast<clang::FullExpr>(e)) e = full->getSubExpr();
    else if (auto* temporary = llvm::dyn_cast<clang::MaterializeTemporaryExpr>(e)) e = temporary->getSubExpr();
    else if (auto* bound = llvm::dyn_cast<clang::CXXBindTemporaryExpr>(e)) e = bound->getSubExpr();
    else if (auto* cast = llvm::dyn_cast<clang::CXXFunctionalCastExpr>(e); cast && isTensor(e->getType()))
      e = cast->getSubExpr();
    else if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
      bool isCopy = isTensor(made->getType()) && made->getNumArgs() == 1 && isTensor(made->getArg(0)->getType());
      if (isCopy) e = made->getArg(0);
    } else if (auto* call = llvm::dyn_cast<clang::CallExpr>(e); call && call->getNumArgs() == 1) {
      auto* f = call->getDirectCallee();
      if (f && f->isInStdNamespace() && f->getIdentifier() && f->getName() == "move") e = call->getArg(0);
    }
    if (e == before) return e;
  }
  return e;
}

const clang::Expr* onlyPart(const clang::Expr* e) {
  if (auto* list = llvm::dyn_cast<clang::CXXStdInitializerListExpr>(e)) return list->getSubExpr();
  if (auto* list = llvm::dyn_cast<clang::InitListExpr>(e))
    return list->getNumInits() == 1 ? list->getInit(0) : nullptr;
  auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e);
  if (!made || isTensor(made->getType())) return nullptr;
  std::vector<const clang::Expr*> given;
  for (auto* a : made->arguments()) take(a, given);
  return given.size() == 1 ? given[0] : nullptr;
}

std::optional<TensorCall> tensorCallOf(const clang::Expr* bare) {
  if (!bare || bare->isTypeDependent()) return std::nullopt;
  if (auto* op = llvm::dyn_cast<clang::CXXOperatorCallExpr>(bare)) return byOperator(*op);
  if (auto* method = llvm::dyn_cast<clang::CXXMemberCallExpr>(bare)) {
    auto* f = method->getMethodDecl();
    auto* object = method->getImplicitObjectArgument();
    if (!f || !f->getIdentifier() || !object || !isTensor(object->IgnoreParenImpCasts()->getType()))
      return std::nullopt;
    TensorCall out = named(f->getName(), true);
    out.operands.push_back(object);
    for (auto* a : method->arguments()) take(a, out.operands);
    return out;
  }
  auto* call = llvm::dyn_cast<clang::CallExpr>(bare);
  auto* f = call ? call->getDirectCallee() : nullptr;
  if (!f || !f->getIdentifier() || !isTensor(call->getType()) || !isInNamespaceOfTorch(*f)) return std::nullopt;
  TensorCall out = named(f->getName(), false);
  for (auto* a : call->arguments()) take(a, out.operands);
  return out;
}

std::optional<double> numberOf(const Unit& unit, const clang::Expr* e) { return numberOf(unit, e, 0); }

const clang::VarDecl* variableOf(const clang::Expr* bare) {
  auto* name = llvm::dyn_cast_or_null<clang::DeclRefExpr>(bare);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable && (variable->isLocalVarDecl() || llvm::isa<clang::ParmVarDecl>(variable)) ? variable : nullptr;
}

}  // namespace kadvise::source

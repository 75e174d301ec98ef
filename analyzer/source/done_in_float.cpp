#include "analyzer/source/done_in_float.h"

namespace kadvise::source {
namespace {

bool isFloat(clang::QualType t) { return t->isSpecificBuiltinType(clang::BuiltinType::Float); }
bool isDouble(clang::QualType t) { return t->isSpecificBuiltinType(clang::BuiltinType::Double); }

bool isExactConstant(const clang::ASTContext& context, const clang::Expr* e) {
  clang::Expr::EvalResult result;
  if (e->isValueDependent() || !e->EvaluateAsRValue(result, context) || !result.Val.isFloat()) return false;
  llvm::APFloat value = result.Val.getFloat();
  bool isRounded = false;
  value.convert(llvm::APFloat::IEEEsingle(), llvm::APFloat::rmNearestTiesToEven, &isRounded);
  return !isRounded;
}

bool isWidenedFloat(const clang::Expr* e) {
  auto* cast = llvm::dyn_cast<clang::CastExpr>(e->IgnoreParens());
  return cast && cast->getCastKind() == clang::CK_FloatingCast && isFloat(cast->getSubExpr()->getType());
}

bool isNarrowedAtOnce(const clang::ASTContext& context, const clang::Expr& e) {
  auto node = clang::DynTypedNode::create<clang::Stmt>(e);
  for (;;) {
    auto parents = const_cast<clang::ASTContext&>(context).getParents(node);
    if (parents.size() != 1) return false;
    node = parents[0];
    // In a template that nothing here instantiates: mostly a float.
    if (auto* v = node.get<clang::VarDecl>()) return v->getType()->isDependentType();
    if (auto* cast = node.get<clang::CastExpr>(); cast && cast->getCastKind() == clang::CK_FloatingCast)
      return isFloat(cast->getType());
    if (!node.get<clang::ParenExpr>()) return false;
  }
}

}  // namespace

bool isDoneInFloat(const clang::ASTContext& context, const clang::BinaryOperator& b) {
  if (b.isTypeDependent() || b.isValueDependent()) return false;
  clang::Expr::EvalResult folded;
  if (!b.isAssignmentOp() && b.EvaluateAsRValue(folded, context)) return true;  // by the compiler
  bool isArithmetic = b.isAdditiveOp() || b.getOpcode() == clang::BO_Mul || b.getOpcode() == clang::BO_Div;
  if (auto* whole = llvm::dyn_cast<clang::CompoundAssignOperator>(&b))
    return isFloat(b.getLHS()->getType()) && isDouble(whole->getComputationResultType()) &&
           isExactConstant(context, b.getRHS());
  if (!isArithmetic || !isDouble(b.getType()) || !isNarrowedAtOnce(context, b)) return false;
  auto fits = [&](const clang::Expr* e) { return isWidenedFloat(e) || isExactConstant(context, e); };
  return fits(b.getLHS()) && fits(b.getRHS());
}

}  // namespace kadvise::source

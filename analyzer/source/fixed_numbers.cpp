#include "analyzer/source/fixed_numbers.h"

#include <set>
#include <vector>

#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

bool isNameOf(const clang::Expr* e, const clang::VarDecl& v) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParens());
  return name && name->getDecl()->getCanonicalDecl() == v.getCanonicalDecl();
}

// What is assigned to a variable, and how often it is named without being read or assigned.
class Assignments : public Visitor {
 public:
  explicit Assignments(const clang::VarDecl& v) : variable_(v) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isAssignmentOp() && isNameOf(b->getLHS(), variable_))
      found.push_back(b), values.push_back(b->getRHS());
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    if (u->isIncrementDecrementOp() && isNameOf(u->getSubExpr(), variable_)) found.push_back(u);
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    if (isNameOf(e, variable_)) ++names_;
    return true;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* e) override {
    if (e->getCastKind() == clang::CK_LValueToRValue && isNameOf(e->getSubExpr(), variable_)) ++reads_;
    return true;
  }
  bool isPassedOn() const { return names_ != reads_ + found.size(); }  // by reference or by address

  std::vector<const clang::Expr*> found, values;

 private:
  const clang::VarDecl& variable_;
  std::size_t names_ = 0, reads_ = 0;
};

class Fixed {
 public:
  explicit Fixed(clang::ASTContext& context) : context_(context) {}

  bool is(const clang::Expr* e) {
    e = e->IgnoreParenCasts();
    if (e->isTypeDependent() || e->isValueDependent()) return false;
    if (e->isEvaluatable(context_)) return true;
    if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(e)) return is(b->getLHS()) && is(b->getRHS());
    if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e))
      return u->getOpcode() != clang::UO_Deref && u->getOpcode() != clang::UO_AddrOf && is(u->getSubExpr());
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
    auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
    return v && v->isLocalVarDecl() && v->getType()->isArithmeticType() && is(*v);
  }

 private:
  bool is(const clang::VarDecl& v) {
    if (!asked_.insert(&v).second) return true;  // "n = n * 2": what else it is made of decides
    auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(v.getParentFunctionOrMethod());
    if (!function || !function->getBody() || (v.getInit() && !is(v.getInit()))) return false;
    Assignments all(v);
    all.TraverseStmt(function->getBody());
    if (all.isPassedOn() || (!v.getInit() && all.values.empty())) return false;
    return llvm::all_of(all.values, [&](auto* value) { return is(value); }) &&
           llvm::all_of(all.found, [&](auto* write) { return isUnderFixedConditions(*write); });
  }

  bool isUnderFixedConditions(const clang::Stmt& statement) {
    auto node = clang::DynTypedNode::create(statement);
    while (true) {
      auto parents = context_.getParents(node);
      if (parents.empty()) return false;
      node = parents[0];
      if (node.get<clang::FunctionDecl>()) return true;
      const clang::Expr* condition = nullptr;
      if (auto* s = node.get<clang::IfStmt>()) condition = s->getCond();
      if (auto* s = node.get<clang::ForStmt>()) condition = s->getCond();
      if (auto* s = node.get<clang::WhileStmt>()) condition = s->getCond();
      if (auto* s = node.get<clang::DoStmt>()) condition = s->getCond();
      if (auto* s = node.get<clang::ConditionalOperator>()) condition = s->getCond();
      if (node.get<clang::SwitchStmt>() || node.get<clang::CXXForRangeStmt>()) return false;
      if (condition && !is(condition)) return false;
    }
  }

  clang::ASTContext& context_;
  std::set<const clang::VarDecl*> asked_;
};

}  // namespace

bool isFixed(clang::ASTContext& context, const clang::Expr& e) { return Fixed(context).is(&e); }

std::optional<std::vector<const clang::Expr*>> valuesOf(const clang::VarDecl& v) {
  auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(v.getParentFunctionOrMethod());
  if (!v.isLocalVarDecl() || !function || !function->getBody()) return std::nullopt;
  Assignments all(v);
  all.TraverseStmt(function->getBody());
  bool isSetOnly = llvm::all_of(all.found, [](auto* write) {
    auto* b = llvm::dyn_cast<clang::BinaryOperator>(write);
    return b && b->getOpcode() == clang::BO_Assign;
  });
  if (v.getInit()) all.values.push_back(v.getInit());
  if (!isSetOnly || all.isPassedOn() || all.values.empty()) return std::nullopt;
  return all.values;
}

}  // namespace kadvise::source

#include "analyzer/source/index_flow.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kMostRounds = 6;

using Variables = std::set<const clang::VarDecl*>;

// Whether an expression holds the builtin index, or one of the variables.
class Holds : public Visitor {
 public:
  Holds(BuiltinIndex::Kind kind, int axis, const Variables& variables)
      : kind_(kind), axis_(axis), variables_(variables) {}
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    found |= index && index->kind == kind_ && index->axis == axis_;
    return !found;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
    found |= variable && variables_.count(variable) > 0;
    return !found;
  }
  bool found = false;

 private:
  BuiltinIndex::Kind kind_;
  int axis_;
  const Variables& variables_;
};

bool holds(const clang::Expr* e, BuiltinIndex::Kind kind, int axis, const Variables& variables) {
  if (!e) return false;
  Holds visitor(kind, axis, variables);
  visitor.TraverseStmt(const_cast<clang::Expr*>(e));
  return visitor.found;
}

// Variables that are made of, or assigned, such a value.
class Spread : public Visitor {
 public:
  Spread(BuiltinIndex::Kind kind, int axis, Variables& out) : kind_(kind), axis_(axis), out_(out) {}
  bool VisitVarDecl(clang::VarDecl* v) override {
    if (v->getInit()) take(v, v->getInit());
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (!b->isAssignmentOp()) return true;
    const clang::Expr* to = b->getLHS()->IgnoreParenImpCasts();
    while (auto* member = llvm::dyn_cast<clang::MemberExpr>(to))
      to = member->getBase()->IgnoreParenImpCasts();
    if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(to))
      if (auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl())) take(v, b->getRHS());
    return true;
  }
  bool grew = false;

 private:
  void take(const clang::VarDecl* v, const clang::Expr* value) {
    if (out_.count(v) == 0 && holds(value, kind_, axis_, out_)) out_.insert(v), grew = true;
  }

  BuiltinIndex::Kind kind_;
  int axis_;
  Variables& out_;
};

void spread(const clang::FunctionDecl& kernel, BuiltinIndex::Kind kind, int axis, Variables& out) {
  for (int i = 0; i < kMostRounds; ++i) {
    Spread round(kind, axis, out);
    round.TraverseStmt(kernel.getBody());
    if (!round.grew) return;
  }
}

}  // namespace

class IndexChecks : public Visitor {
 public:
  explicit IndexChecks(IndexFlow& flow) : flow_(flow) {}

  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    flow_.usesGridSize_ |= index && index->kind == BuiltinIndex::Kind::GridSize;
    return true;
  }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (b->isComparisonOp()) ofComparison(*b);
    if (b->getOpcode() == clang::BO_Rem || b->getOpcode() == clang::BO_RemAssign) take(b->getLHS());
    return true;
  }
  bool VisitIfStmt(clang::IfStmt* s) override { return take(s->getCond()); }
  bool VisitForStmt(clang::ForStmt* s) override { return take(s->getCond()); }
  bool VisitWhileStmt(clang::WhileStmt* s) override { return take(s->getCond()); }
  bool VisitSwitchStmt(clang::SwitchStmt* s) override { return take(s->getCond()); }
  bool VisitConditionalOperator(clang::ConditionalOperator* c) override { return take(c->getCond()); }
  // A function that gets the index may look whether it is inside; what is built in does not.
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    if (f && f->getBuiltinID()) return true;
    if (f && llvm::isa<clang::CXXOperatorCallExpr>(call)) return true;
    for (auto* a : call->arguments())
      if (a->isTypeDependent() || a->getType()->isIntegralOrEnumerationType()) take(a);
    return true;
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    for (auto* a : made->arguments())
      if (a->isTypeDependent() || a->getType()->isIntegralOrEnumerationType()) take(a);
    return true;
  }

 private:
  bool take(const clang::Expr* e) {
    flow_.isChecked_ |= e && flow_.comesFromBlock(e);
    return true;
  }
  void ofComparison(const clang::BinaryOperator& b) {
    take(&b);
    bool left = flow_.comesFromThread(b.getLHS()), right = flow_.comesFromThread(b.getRHS());
    if (!left && !right) return;
    const clang::Expr* other = left ? b.getRHS() : b.getLHS();
    flow_.isChecked_ |= !llvm::isa<clang::IntegerLiteral>(other->IgnoreParenImpCasts());
  }

  IndexFlow& flow_;
};

IndexFlow::IndexFlow(const clang::FunctionDecl& kernel, int axis) : axis_(axis) {
  spread(kernel, BuiltinIndex::Kind::Block, axis, ofBlock_);
  spread(kernel, BuiltinIndex::Kind::Thread, axis, ofThread_);
  IndexChecks checks(*this);
  checks.TraverseStmt(kernel.getBody());
}

bool IndexFlow::comesFromBlock(const clang::Expr* e) const {
  return holds(e, BuiltinIndex::Kind::Block, axis_, ofBlock_);
}

bool IndexFlow::comesFromThread(const clang::Expr* e) const {
  return holds(e, BuiltinIndex::Kind::Thread, axis_, ofThread_);
}

}  // namespace kadvise::source

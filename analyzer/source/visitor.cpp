#include "analyzer/source/visitor.h"

#include <clang/AST/RecursiveASTVisitor.h>

namespace kadvise::source {
namespace {

// Holds nothing of its own, so each step that goes into a node may start another.
class Walk : public clang::RecursiveASTVisitor<Walk> {
 public:
  explicit Walk(Visitor& v) : visitor_(v) {}
  bool shouldVisitTemplateInstantiations() const { return visitor_.shouldVisitTemplateInstantiations(); }

  bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr* node) {
    return visitor_.VisitArraySubscriptExpr(node);
  }
  bool VisitBinaryOperator(clang::BinaryOperator* node) { return visitor_.VisitBinaryOperator(node); }
  bool VisitBreakStmt(clang::BreakStmt* node) { return visitor_.VisitBreakStmt(node); }
  bool VisitCallExpr(clang::CallExpr* node) { return visitor_.VisitCallExpr(node); }
  bool VisitCompoundStmt(clang::CompoundStmt* node) { return visitor_.VisitCompoundStmt(node); }
  bool VisitConditionalOperator(clang::ConditionalOperator* node) {
    return visitor_.VisitConditionalOperator(node);
  }
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* node) { return visitor_.VisitCXXConstructExpr(node); }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* node) {
    return visitor_.VisitCXXMemberCallExpr(node);
  }
  bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr* node) {
    return visitor_.VisitCXXOperatorCallExpr(node);
  }
  bool VisitCXXThrowExpr(clang::CXXThrowExpr* node) { return visitor_.VisitCXXThrowExpr(node); }
  bool VisitDeclRefExpr(clang::DeclRefExpr* node) { return visitor_.VisitDeclRefExpr(node); }
  bool VisitExpr(clang::Expr* node) { return visitor_.VisitExpr(node); }
  bool VisitForStmt(clang::ForStmt* node) { return visitor_.VisitForStmt(node); }
  bool VisitFunctionDecl(clang::FunctionDecl* node) { return visitor_.VisitFunctionDecl(node); }
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* node) { return visitor_.VisitGCCAsmStmt(node); }
  bool VisitIfStmt(clang::IfStmt* node) { return visitor_.VisitIfStmt(node); }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* node) { return visitor_.VisitImplicitCastExpr(node); }
  bool VisitIntegerLiteral(clang::IntegerLiteral* node) { return visitor_.VisitIntegerLiteral(node); }
  bool VisitMemberExpr(clang::MemberExpr* node) { return visitor_.VisitMemberExpr(node); }
  bool VisitOverloadExpr(clang::OverloadExpr* node) { return visitor_.VisitOverloadExpr(node); }
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* node) { return visitor_.VisitPseudoObjectExpr(node); }
  bool VisitReturnStmt(clang::ReturnStmt* node) { return visitor_.VisitReturnStmt(node); }
  bool VisitSwitchStmt(clang::SwitchStmt* node) { return visitor_.VisitSwitchStmt(node); }
  bool VisitUnaryOperator(clang::UnaryOperator* node) { return visitor_.VisitUnaryOperator(node); }
  bool VisitVarDecl(clang::VarDecl* node) { return visitor_.VisitVarDecl(node); }
  bool VisitWhileStmt(clang::WhileStmt* node) { return visitor_.VisitWhileStmt(node); }

  bool TraverseDoStmt(clang::DoStmt* node) { return visitor_.TraverseDoStmt(node); }
  bool TraverseForStmt(clang::ForStmt* node) { return visitor_.TraverseForStmt(node); }
  bool TraverseLambdaExpr(clang::LambdaExpr* node) { return visitor_.TraverseLambdaExpr(node); }
  bool TraversePseudoObjectExpr(clang::PseudoObjectExpr* node) {
    return visitor_.TraversePseudoObjectExpr(node);
  }
  bool TraverseWhileStmt(clang::WhileStmt* node) { return visitor_.TraverseWhileStmt(node); }

 private:
  Visitor& visitor_;
};

using Base = clang::RecursiveASTVisitor<Walk>;

}  // namespace

bool Visitor::TraverseDecl(clang::Decl* d) { return Walk(*this).TraverseDecl(d); }
bool Visitor::TraverseStmt(clang::Stmt* s) { return Walk(*this).TraverseStmt(s); }

bool Visitor::TraverseDoStmt(clang::DoStmt* node) { return Walk(*this).Base::TraverseDoStmt(node); }
bool Visitor::TraverseForStmt(clang::ForStmt* node) { return Walk(*this).Base::TraverseForStmt(node); }
bool Visitor::TraverseLambdaExpr(clang::LambdaExpr* node) {
  return Walk(*this).Base::TraverseLambdaExpr(node);
}
bool Visitor::TraversePseudoObjectExpr(clang::PseudoObjectExpr* node) {
  return Walk(*this).Base::TraversePseudoObjectExpr(node);
}
bool Visitor::TraverseWhileStmt(clang::WhileStmt* node) { return Walk(*this).Base::TraverseWhileStmt(node); }

}  // namespace kadvise::source

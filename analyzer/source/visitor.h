// A walk over Clang's tree whose steps are virtual functions. clang::RecursiveASTVisitor is a template of
// several thousand functions: compiled once, in visitor.cpp, it costs four seconds, and did so in every class
// that used it.
#pragma once

#include "analyzer/source/clang.h"

namespace kadvise::source {

class Visitor {
 public:
  virtual ~Visitor() = default;

  // Each is false when a step below said to stop.
  bool TraverseDecl(clang::Decl* d);
  bool TraverseStmt(clang::Stmt* s);

  virtual bool shouldVisitTemplateInstantiations() const { return false; }

  // What is met on the way; false ends the walk. Add the nodes you need, here and in visitor.cpp.
  virtual bool VisitArraySubscriptExpr(clang::ArraySubscriptExpr*) { return true; }
  virtual bool VisitBinaryOperator(clang::BinaryOperator*) { return true; }
  virtual bool VisitBreakStmt(clang::BreakStmt*) { return true; }
  virtual bool VisitCallExpr(clang::CallExpr*) { return true; }
  virtual bool VisitCompoundStmt(clang::CompoundStmt*) { return true; }
  virtual bool VisitConditionalOperator(clang::ConditionalOperator*) { return true; }
  virtual bool VisitCXXConstructExpr(clang::CXXConstructExpr*) { return true; }
  virtual bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr*) { return true; }
  virtual bool VisitCXXOperatorCallExpr(clang::CXXOperatorCallExpr*) { return true; }
  virtual bool VisitCXXThrowExpr(clang::CXXThrowExpr*) { return true; }
  virtual bool VisitDeclRefExpr(clang::DeclRefExpr*) { return true; }
  virtual bool VisitExpr(clang::Expr*) { return true; }
  virtual bool VisitForStmt(clang::ForStmt*) { return true; }
  virtual bool VisitFunctionDecl(clang::FunctionDecl*) { return true; }
  virtual bool VisitGCCAsmStmt(clang::GCCAsmStmt*) { return true; }
  virtual bool VisitIfStmt(clang::IfStmt*) { return true; }
  virtual bool VisitImplicitCastExpr(clang::ImplicitCastExpr*) { return true; }
  virtual bool VisitIntegerLiteral(clang::IntegerLiteral*) { return true; }
  virtual bool VisitMemberExpr(clang::MemberExpr*) { return true; }
  virtual bool VisitOverloadExpr(clang::OverloadExpr*) { return true; }
  virtual bool VisitPseudoObjectExpr(clang::PseudoObjectExpr*) { return true; }
  virtual bool VisitReturnStmt(clang::ReturnStmt*) { return true; }
  virtual bool VisitSwitchStmt(clang::SwitchStmt*) { return true; }
  virtual bool VisitUnaryOperator(clang::UnaryOperator*) { return true; }
  virtual bool VisitVarDecl(clang::VarDecl*) { return true; }
  virtual bool VisitWhileStmt(clang::WhileStmt*) { return true; }

  // These go into the node; whoever overrides one decides what of it is walked.
  virtual bool TraverseDoStmt(clang::DoStmt* node);
  virtual bool TraverseForStmt(clang::ForStmt* node);
  virtual bool TraverseLambdaExpr(clang::LambdaExpr* node);
  virtual bool TraversePseudoObjectExpr(clang::PseudoObjectExpr* node);
  virtual bool TraverseWhileStmt(clang::WhileStmt* node);
};

}  // namespace kadvise::source

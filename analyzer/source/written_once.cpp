#include "analyzer/source/written_once.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// Variables of which some use may write them. A use is a mere read where the next thing around it is the
// cast that loads the value, or a member read of a dim3.
class Writes : public Visitor {
 public:
  Writes(const Unit& unit, std::set<const clang::VarDecl*>& out) : unit_(unit), out_(out) {}

  bool VisitDeclRefExpr(clang::DeclRefExpr* use) override {
    auto* variable = llvm::dyn_cast<clang::VarDecl>(use->getDecl());
    if (variable && !isRead(use)) out_.insert(variable->getCanonicalDecl());
    return true;
  }

 private:
  bool isRead(const clang::Expr* use) const {
    auto node = clang::DynTypedNode::create<clang::Stmt>(*use);
    for (int i = 0; i < 6; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) return false;
      node = parents[0];
      if (auto* cast = node.get<clang::ImplicitCastExpr>()) {
        if (cast->getCastKind() == clang::CK_LValueToRValue) return true;
        if (cast->getCastKind() != clang::CK_NoOp) return false;
        if (cast->getType().isConstQualified()) return true;  // bound to a const reference: a copy's source
      } else if (!node.get<clang::ParenExpr>() && !node.get<clang::MemberExpr>()) {
        // As it is written, "{n, 4}" holds names that are copied when the list is made.
        return node.get<clang::CXXConstructExpr>() || node.get<clang::InitListExpr>();
      }
    }
    return false;
  }

  const Unit& unit_;
  std::set<const clang::VarDecl*>& out_;
};

bool isWrittenIn(const Unit& unit, const clang::FunctionDecl& function, const clang::VarDecl& variable) {
  auto [known, isNew] = unit.written->try_emplace(&function);
  if (isNew) Writes(unit, known->second).TraverseStmt(function.getBody());
  return known->second.count(variable.getCanonicalDecl()) > 0;
}

class Mentions : public Visitor {
 public:
  explicit Mentions(const clang::VarDecl& variable) : variable_(variable) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    found |= e->getDecl()->getCanonicalDecl() == variable_.getCanonicalDecl();
    return !found;
  }
  bool found = false;

 private:
  const clang::VarDecl& variable_;
};

}  // namespace

bool isMadeOfItself(const clang::VarDecl& variable) {
  if (!variable.getInit()) return false;
  Mentions mentions(variable);
  mentions.TraverseStmt(const_cast<clang::Expr*>(variable.getInit()));
  return mentions.found;
}

bool isWrittenOnce(const Unit& unit, const clang::VarDecl& variable) {
  if (!variable.getInit() || isMadeOfItself(variable)) return false;
  if (variable.getType().isConstQualified() || variable.isConstexpr()) return true;
  if (!variable.isLocalVarDecl()) return false;
  auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(variable.getParentFunctionOrMethod());
  return function && function->getBody() && !isWrittenIn(unit, *function, variable);
}

bool isNeverWritten(const Unit& unit, const clang::ParmVarDecl& parameter) {
  if (parameter.getType().isConstQualified()) return true;
  auto* function = llvm::dyn_cast_or_null<clang::FunctionDecl>(parameter.getParentFunctionOrMethod());
  return function && function->getBody() && !isWrittenIn(unit, *function, parameter);
}

}  // namespace kadvise::source

#include "analyzer/source/induction.h"

#include "analyzer/source/launch_sites.h"

namespace kadvise::source {
namespace {

using Write = Courses::Write;

const clang::VarDecl* variableOf(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable ? variable->getCanonicalDecl() : nullptr;
}

class Writes : public clang::RecursiveASTVisitor<Writes> {
 public:
  Writes(std::map<const clang::VarDecl*, std::vector<Write>>& found, std::set<const clang::VarDecl*>& escaped)
      : found_(found), escaped_(escaped) {}

  bool VisitBinaryOperator(clang::BinaryOperator* b) {
    auto* v = b->isAssignmentOp() ? variableOf(b->getLHS()) : nullptr;
    if (v) found_[v].push_back({b->getOpcode(), b->getRHS()});
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) {
    auto* v = variableOf(u->getSubExpr());
    if (!v) return true;
    if (u->isIncrementOp()) found_[v].push_back({clang::BO_AddAssign, nullptr});
    if (u->isDecrementOp()) found_[v].push_back({clang::BO_SubAssign, nullptr});
    if (u->getOpcode() == clang::UO_AddrOf) escaped_.insert(v);
    return true;
  }
  // A reference to it may be written anywhere.
  bool VisitCallExpr(clang::CallExpr* call) {
    auto* f = call->getDirectCallee();
    for (unsigned i = 0; f && i < call->getNumArgs() && i < f->getNumParams(); ++i) {
      auto type = f->getParamDecl(i)->getType();
      bool mayWrite = type->isReferenceType() && !type->getPointeeType().isConstQualified();
      if (auto* v = mayWrite ? variableOf(call->getArg(i)) : nullptr) escaped_.insert(v);
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* d) {
    auto* v = d->getType()->isReferenceType() && d->getInit() ? variableOf(d->getInit()) : nullptr;
    if (v) escaped_.insert(v);
    return true;
  }

 private:
  std::map<const clang::VarDecl*, std::vector<Write>>& found_;
  std::set<const clang::VarDecl*>& escaped_;
};

// "i = i + step" as "i += step".
Write asStep(const clang::VarDecl& variable, Write w) {
  auto* sum = w.op == clang::BO_Assign
                  ? llvm::dyn_cast<clang::BinaryOperator>(w.operand->IgnoreParenImpCasts())
                  : nullptr;
  bool addsToIt =
      sum && sum->getOpcode() == clang::BO_Add && variableOf(sum->getLHS()) == variable.getCanonicalDecl();
  return addsToIt ? Write{clang::BO_AddAssign, sum->getRHS()} : w;
}

Course courseWith(const Write& w, const clang::Expr* start) {
  switch (w.op) {
    case clang::BO_AddAssign:
      return {Course::Kind::Stepped, start, w.operand, false};
    case clang::BO_SubAssign:
      return {Course::Kind::Stepped, start, w.operand, true};
    case clang::BO_MulAssign:
    case clang::BO_ShlAssign:
      return {Course::Kind::Scaled, start, w.operand, false};
    case clang::BO_DivAssign:
    case clang::BO_ShrAssign:
      return {Course::Kind::Scaled, start, w.operand, true};
    default:
      return {};
  }
}

}  // namespace

Courses::Courses(const clang::FunctionDecl& function) : function_(function) {
  Writes(writes_, escaped_).TraverseStmt(function.getBody());
}

Course Courses::of(const clang::VarDecl& variable) const {
  if (!variable.getInit() || variable.getType()->isReferenceType()) return {};
  if (variable.getType().isConstQualified()) return {Course::Kind::Fixed, variable.getInit()};
  auto* key = variable.getCanonicalDecl();
  auto writes = writes_.find(key);
  if (escaped_.count(key) || (writes != writes_.end() && writes->second.size() > 1)) return {};
  if (writes == writes_.end()) return {Course::Kind::Fixed, variable.getInit()};
  return courseWith(asStep(variable, writes->second[0]), variable.getInit());
}

std::optional<std::int64_t> Courses::constant(const Unit& unit, const clang::Expr* e) const {
  auto [known, isNew] = constants_.try_emplace(e);
  if (isNew) known->second = constantOf(unit, e);
  return known->second;
}

bool Courses::isNeverWritten(const clang::VarDecl& variable) const {
  return !writes_.count(variable.getCanonicalDecl()) && !escaped_.count(variable.getCanonicalDecl());
}

}  // namespace kadvise::source

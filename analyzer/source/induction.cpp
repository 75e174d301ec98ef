#include "analyzer/source/induction.h"

#include <algorithm>

#include "analyzer/source/launch_sites.h"
#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

using Write = Courses::Write;

const clang::VarDecl* variableOf(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return variable ? variable->getCanonicalDecl() : nullptr;
}

class Writes : public Visitor {
 public:
  Writes(std::map<const clang::VarDecl*, std::vector<Write>>& found, std::set<const clang::VarDecl*>& escaped,
         std::set<const clang::VarDecl*>& circular)
      : found_(found), escaped_(escaped), circular_(circular) {}

  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto* v = b->isAssignmentOp() ? variableOf(b->getLHS()) : nullptr;
    if (v) found_[v].push_back({b->getOpcode(), b->getRHS(), b});
    return true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    auto* v = variableOf(u->getSubExpr());
    if (!v) return true;
    if (u->isIncrementOp()) found_[v].push_back({clang::BO_AddAssign, nullptr, u});
    if (u->isDecrementOp()) found_[v].push_back({clang::BO_SubAssign, nullptr, u});
    if (u->getOpcode() == clang::UO_AddrOf) escaped_.insert(v);
    return true;
  }
  // A reference to it may be written anywhere.
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    for (unsigned i = 0; f && i < call->getNumArgs() && i < f->getNumParams(); ++i) {
      auto type = f->getParamDecl(i)->getType();
      bool mayWrite = type->isReferenceType() && !type->getPointeeType().isConstQualified();
      if (auto* v = mayWrite ? variableOf(call->getArg(i)) : nullptr) escaped_.insert(v);
    }
    return true;
  }
  bool VisitVarDecl(clang::VarDecl* d) override {
    auto* v = d->getType()->isReferenceType() && d->getInit() ? variableOf(d->getInit()) : nullptr;
    if (v) escaped_.insert(v);
    if (isMadeOfItself(*d)) circular_.insert(d->getCanonicalDecl());
    return true;
  }

 private:
  std::map<const clang::VarDecl*, std::vector<Write>>& found_;
  std::set<const clang::VarDecl*>& escaped_;
  std::set<const clang::VarDecl*>& circular_;
};

// "i = i + step" as "i += step".
Write asStep(const clang::VarDecl& variable, Write w) {
  auto* sum = w.op == clang::BO_Assign
                  ? llvm::dyn_cast<clang::BinaryOperator>(w.operand->IgnoreParenImpCasts())
                  : nullptr;
  bool addsToIt =
      sum && sum->getOpcode() == clang::BO_Add && variableOf(sum->getLHS()) == variable.getCanonicalDecl();
  return addsToIt ? Write{clang::BO_AddAssign, sum->getRHS(), w.at} : w;
}

bool declares(const clang::Stmt* s, const clang::VarDecl& variable) {
  auto* d = llvm::dyn_cast_or_null<clang::DeclStmt>(s);
  return d && std::any_of(d->decl_begin(), d->decl_end(),
                          [&](auto* one) { return one->getCanonicalDecl() == variable.getCanonicalDecl(); });
}

bool holds(const clang::Stmt& around, const clang::VarDecl& variable) {
  if (auto* loop = llvm::dyn_cast<clang::ForStmt>(&around)) return declares(loop->getInit(), variable);
  auto children = around.children();
  return llvm::isa<clang::CompoundStmt>(&around) &&
         std::any_of(children.begin(), children.end(), [&](auto* c) { return declares(c, variable); });
}

enum class Runs { Once, EachTurn, Perhaps };

// Seen from where the variable is declared.
Runs runsOf(const Unit& unit, const clang::Expr* write, const clang::VarDecl& variable) {
  auto node = clang::DynTypedNode::create<clang::Stmt>(*write);
  const clang::Stmt* child = write;
  Runs out = Runs::Once;
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return Runs::Perhaps;
    node = parents[0];
    if (node.get<clang::FunctionDecl>()) return out;
    auto* s = node.get<clang::Stmt>();
    if (!s) return Runs::Perhaps;
    if (auto* loop = llvm::dyn_cast<clang::ForStmt>(s)) {
      if (child != loop->getInit()) out = Runs::EachTurn;
    } else if (llvm::isa<clang::WhileStmt, clang::DoStmt>(s)) {
      out = Runs::EachTurn;
    } else if (!llvm::isa<clang::CompoundStmt, clang::ParenExpr, clang::ExprWithCleanups>(s)) {
      auto* comma = llvm::dyn_cast<clang::BinaryOperator>(s);
      if (!comma || !comma->isCommaOp()) return Runs::Perhaps;
    }
    if (holds(*s, variable)) return out;
    child = s;
  }
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
  Writes(writes_, escaped_, circular_).TraverseStmt(function.getBody());
}

const Courses& Courses::ofCallee(const clang::FunctionDecl& f) const {
  auto& known = outermost_->callees_[&f];
  if (!known) {
    known = std::make_unique<Courses>(f);
    known->outermost_ = outermost_;
  }
  return *known;
}

Course Courses::of(const clang::VarDecl& variable) const {
  if (!variable.getInit() || variable.getType()->isReferenceType()) return {};
  auto* key = variable.getCanonicalDecl();
  if (circular_.count(key)) return {};
  if (variable.getType().isConstQualified()) return {Course::Kind::Fixed, variable.getInit()};
  auto writes = writes_.find(key);
  if (escaped_.count(key) || (writes != writes_.end() && writes->second.size() > 1)) return {};
  if (writes == writes_.end()) return {Course::Kind::Fixed, variable.getInit()};
  return courseWith(asStep(variable, writes->second[0]), variable.getInit());
}

const std::optional<Past>& Courses::pastAt(const Unit& unit, const clang::DeclRefExpr& use) const {
  auto [known, isNew] = pasts_.try_emplace(&use);
  auto* variable = llvm::dyn_cast<clang::VarDecl>(use.getDecl());
  if (!isNew || !variable || variable->getType()->isReferenceType()) return known->second;
  auto* key = variable->getCanonicalDecl();
  auto writes = writes_.find(key);
  if (writes == writes_.end() || escaped_.count(key) || circular_.count(key)) return known->second;
  Past out;
  out.start = variable->getInit();
  for (auto& written : writes->second) {
    Write w = asStep(*variable, written);
    Runs runs = runsOf(unit, w.at, *variable);
    bool isBefore = unit.sources.isBeforeInTranslationUnit(w.at->getEndLoc(), use.getLocation());
    bool isStep = w.op == clang::BO_AddAssign || w.op == clang::BO_SubAssign;
    if (runs == Runs::Perhaps || (!isStep && (w.op != clang::BO_Assign || runs == Runs::EachTurn)))
      return known->second;
    if (!isBefore && runs == Runs::Once) continue;
    if (!isStep) out = Past{w.operand, {}, {}};
    else (runs == Runs::Once ? out.once : out.eachTurn).push_back({w.operand, w.op == clang::BO_SubAssign});
  }
  if (!out.start && !llvm::isa<clang::ParmVarDecl>(variable)) return known->second;
  return known->second = out;
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

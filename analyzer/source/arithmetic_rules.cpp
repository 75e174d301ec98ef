#include "analyzer/source/arithmetic_rules.h"

#include <algorithm>

#include "analyzer/source/constants.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kLongChain = 4;

// Variables that a statement declares or changes, and whether it asks how large the grid is.
class Written : public Visitor {
 public:
  bool VisitVarDecl(clang::VarDecl* v) override { return variables.insert(v), true; }
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    return b->isAssignmentOp() ? take(b->getLHS()) : true;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    return u->isIncrementDecrementOp() ? take(u->getSubExpr()) : true;
  }
  std::set<const clang::VarDecl*> variables;

 private:
  bool take(clang::Expr* e) {
    auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
    if (auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr) variables.insert(v);
    return true;
  }
};

class Mentions : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    if (auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl())) variables.insert(v);
    return true;
  }
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    asksGrid |= index && index->kind == BuiltinIndex::Kind::GridSize;
    return true;
  }
  std::set<const clang::VarDecl*> variables;
  bool asksGrid = false;
};

Mentions mentionsIn(const clang::Stmt* s) {
  Mentions out;
  out.TraverseStmt(const_cast<clang::Stmt*>(s));
  return out;
}

struct Division {
  const clang::BinaryOperator* site = nullptr;
  int depth = 0;  // loops around it whose turns change what is divided
};

class Divisions : public Visitor {
 public:
  explicit Divisions(const Unit& unit) : unit_(unit) {}

  bool TraverseForStmt(clang::ForStmt* loop) override {
    // A loop over the whole grid is the kernel itself: few turns of each thread.
    auto step = mentionsIn(loop->getInc());
    bool isOfGrid = step.asksGrid || std::any_of(step.variables.begin(), step.variables.end(), [](auto* v) {
                      return v->getInit() && mentionsIn(v->getInit()).asksGrid;
                    });
    TraverseStmt(loop->getInit());
    return inLoop(*loop, loop->getBody(), isOfGrid);
  }
  bool TraverseWhileStmt(clang::WhileStmt* loop) override { return inLoop(*loop, loop->getBody(), false); }
  bool TraverseDoStmt(clang::DoStmt* loop) override { return inLoop(*loop, loop->getBody(), false); }

  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    auto op = b->getOpcode();
    bool isDivision =
        op == clang::BO_Div || op == clang::BO_Rem || op == clang::BO_DivAssign || op == clang::BO_RemAssign;
    bool isInteger = isDivision && !b->isTypeDependent() && b->getType()->isIntegerType();
    if (!isInteger || isConstant(b->getRHS())) return true;
    auto used = mentionsIn(b).variables;
    int depth = 0;
    for (auto& written : loops_)
      depth += std::any_of(used.begin(), used.end(), [&](auto* v) { return written.count(v) > 0; });
    found.push_back({b, depth});
    return true;
  }
  std::vector<Division> found;

 private:
  bool inLoop(const clang::Stmt& loop, clang::Stmt* body, bool isOfGrid) {
    Written written;
    written.TraverseStmt(const_cast<clang::Stmt*>(&loop));
    if (!isOfGrid) loops_.push_back(std::move(written.variables));
    bool goesOn = TraverseStmt(body);
    if (!isOfGrid) loops_.pop_back();
    return goesOn;
  }

  bool isConstant(const clang::Expr* e) const {
    return e->isValueDependent() || constantOf(unit_, e).has_value();
  }

  const Unit& unit_;
  std::vector<std::set<const clang::VarDecl*>> loops_;
};

Site siteOf(const Unit& unit, const clang::FunctionDecl& f, const Division& d, const std::string& where) {
  Site site;
  site.range = d.site->getSourceRange();
  site.function = &f;
  bool isWide = unit.context.getTypeSize(d.site->getType()) > 32;
  site.message =
      "`" + brief(textOf(unit, d.site->getSourceRange())) + "` " + where + ": " +
      (isWide ? "some seventy instructions each time, in 64 bits" : "some twenty instructions each time") +
      ", because the divisor is only known when the kernel runs";
  return site;
}

}  // namespace

void runtimeDivision(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : unit.deviceFunctions) {
    Divisions divisions(unit);
    divisions.TraverseStmt(f->getBody());
    if (divisions.found.empty()) continue;
    int deepest = 0;
    for (auto& d : divisions.found) deepest = std::max(deepest, d.depth);
    bool isChain = deepest == 0 && divisions.found.size() >= kLongChain;
    if (deepest == 0 && !isChain) continue;
    // The costliest ones, as one finding.
    std::string where = isChain
                            ? "is one of " + std::to_string(divisions.found.size()) + " divisions in a row"
                            : "is divided in each turn of a loop";
    for (auto& d : divisions.found)
      if (d.depth == deepest) findings.add(page, siteOf(unit, *f, d, where));
  }
}

}  // namespace kadvise::source

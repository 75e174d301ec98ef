#include "analyzer/source/arithmetic_rules.h"

#include <algorithm>

#include "analyzer/source/constants.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::size_t kLongChain = 3, kFewestOfATurn = 2;
constexpr unsigned kLongLoop = 20,
                   kVeryLongLoop = 60;  // lines: a division for all threads alike is little in it

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
    asksThread |= index && index->kind == BuiltinIndex::Kind::Thread;
    return true;
  }
  std::set<const clang::VarDecl*> variables;
  bool asksGrid = false, asksThread = false;
};

Mentions mentionsIn(const clang::Stmt* s) {
  Mentions out;
  out.TraverseStmt(const_cast<clang::Stmt*>(s));
  return out;
}

struct Division {
  const clang::BinaryOperator* site = nullptr;
  int depth = 0;       // loops around it whose turns change what is divided
  int nesting = 0;     // of the innermost of them
  unsigned lines = 0;  // of the innermost of them
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
    // What a macro spells, and what a template divides in whatever type it is given, is no choice made here.
    bool isOpen = isOfParameter(b->getLHS()) || isOfParameter(b->getRHS());
    if (isOpen || textOf(unit_, b->getSourceRange()).empty()) return true;
    auto used = mentionsIn(b).variables;
    Division d{b};
    for (std::size_t i = 0; i < loops_.size(); ++i) {
      auto& written = loops_[i].written;
      if (std::none_of(used.begin(), used.end(), [&](auto* v) { return written.count(v) > 0; })) continue;
      ++d.depth, d.nesting = static_cast<int>(i) + 1, d.lines = loops_[i].lines;
    }
    found.push_back(d);
    return true;
  }
  std::vector<Division> found;

 private:
  bool inLoop(const clang::Stmt& loop, clang::Stmt* body, bool isOfGrid) {
    Written written;
    written.TraverseStmt(const_cast<clang::Stmt*>(&loop));
    auto range = placeOf(unit_, loop.getSourceRange());
    if (!isOfGrid)
      loops_.push_back({std::move(written.variables), static_cast<unsigned>(range.endLine - range.line)});
    bool goesOn = TraverseStmt(body);
    if (!isOfGrid) loops_.pop_back();
    return goesOn;
  }

  static bool isOfParameter(const clang::Expr* e) {
    return e->IgnoreParenImpCasts()->getType()->getAs<clang::SubstTemplateTypeParmType>() != nullptr;
  }

  // A number, or what a loop over constants counts: that one is unrolled.
  bool isConstant(const clang::Expr* e) const {
    if (e->isValueDependent() || constantOf(unit_, e)) return true;
    auto mentions = mentionsIn(e);
    if (mentions.variables.empty() || mentions.asksThread || mentions.asksGrid) return false;
    auto loops = loopsAround(unit_, e);
    return std::all_of(mentions.variables.begin(), mentions.variables.end(), [&](auto* v) {
      return std::any_of(loops.begin(), loops.end(), [&](auto& l) {
        auto* f = llvm::dyn_cast<clang::ForStmt>(l.whole);
        auto* made = f ? llvm::dyn_cast_or_null<clang::DeclStmt>(f->getInit()) : nullptr;
        return made && made->isSingleDecl() && made->getSingleDecl() == v && constantTurns(unit_, f);
      });
    });
  }

  const Unit& unit_;
  struct Loop {
    std::set<const clang::VarDecl*> written;
    unsigned lines = 0;
  };
  std::vector<Loop> loops_;
};

// Not of the block's index and sizes alone: those are few divisions of a whole warp.
bool mayDifferBetweenThreads(const clang::Stmt* s, int depth = 0) {
  Mentions mentions = mentionsIn(s);
  return mentions.asksThread || depth > 4 ||
         std::any_of(mentions.variables.begin(), mentions.variables.end(), [&](auto* v) {
           if (auto* p = llvm::dyn_cast<clang::ParmVarDecl>(v))
             return !llvm::cast<clang::FunctionDecl>(p->getDeclContext())
                         ->template hasAttr<clang::CUDAGlobalAttr>();
           return !v->getInit() ? v->hasLocalStorage() : mayDifferBetweenThreads(v->getInit(), depth + 1);
         });
}

// What is divided by what: the remainder comes with the quotient.
using Names = std::set<std::string>;
std::string nameOf(const Unit& unit, const clang::BinaryOperator& division) {
  return textOf(unit, division.getLHS()->getSourceRange()) + " by " +
         textOf(unit, division.getRHS()->getSourceRange());
}

std::size_t distinct(const Unit& unit, const std::vector<Division>& all, int depth) {
  Names names;
  for (auto& d : all)
    if (d.depth == depth) names.insert(nameOf(unit, *d.site));
  return names.size();
}

// The most that one thread does: of two branches, the longer one.
Names mostInARow(const Unit& unit, const clang::Stmt* s, const std::set<const clang::Stmt*>& divisions) {
  Names out;
  if (!s) return out;
  if (divisions.count(s)) out.insert(nameOf(unit, *llvm::cast<clang::BinaryOperator>(s)));
  if (auto* branch = llvm::dyn_cast<clang::IfStmt>(s)) {
    out = mostInARow(unit, branch->getCond(), divisions);
    Names then = mostInARow(unit, branch->getThen(), divisions),
          other = mostInARow(unit, branch->getElse(), divisions);
    out.merge(then.size() < other.size() ? other : then);
    return out;
  }
  for (auto* child : s->children()) out.merge(mostInARow(unit, child, divisions));
  return out;
}

Site siteOf(const Unit& unit, const clang::FunctionDecl& f, const Division& d, const std::string& where) {
  Site site;
  site.range = d.site->getSourceRange();
  site.function = &f;
  std::string text = brief(textOf(unit, d.site->getSourceRange()));
  bool isWide = unit.context.getTypeSize(d.site->getType()) > 32;
  site.message =
      "`" + text + "` " + where + ": " +
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
    auto& all = divisions.found;
    all.erase(std::remove_if(all.begin(), all.end(),
                             [](auto& d) {
                               return d.lines > kVeryLongLoop ||
                                      (d.lines > kLongLoop && !mayDifferBetweenThreads(d.site));
                             }),
              all.end());
    if (all.empty()) continue;
    int deepest = 0;
    for (auto& d : divisions.found) deepest = std::max(deepest, d.depth);
    std::set<const clang::Stmt*> sites;
    for (auto& d : divisions.found)
      if (mayDifferBetweenThreads(d.site)) sites.insert(d.site);
    std::size_t inARow = deepest == 0 ? mostInARow(unit, f->getBody(), sites).size() : 0;
    bool isChain = inARow >= kLongChain;
    if (deepest == 0 && !isChain) continue;
    // One division to an element that is loaded is hidden behind the load.
    bool isInner = std::any_of(all.begin(), all.end(), [](auto& d) { return d.nesting > 1; });
    if (deepest > 0 && !isInner && distinct(unit, all, deepest) < kFewestOfATurn) continue;
    // The costliest ones, as one finding.
    std::string where = isChain ? "is one of " + std::to_string(inARow) + " divisions in a row"
                                : "is divided in each turn of a loop";
    for (auto& d : divisions.found)
      if (d.depth == deepest && (!isChain || sites.count(d.site) > 0))
        findings.add(page, siteOf(unit, *f, d, where));
  }
}

}  // namespace kadvise::source

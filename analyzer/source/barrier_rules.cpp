#include "analyzer/source/barrier_rules.h"

#include <algorithm>

#include "analyzer/source/block_run.h"
#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/launch_bounds.h"
#include "analyzer/source/launch_tokens.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/size_multiples.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// Of "isLarge ? __syncthreads() : __syncwarp()": a constant chooses, and may not be known here.
bool isOneOfTwo(const Unit& unit, const clang::Expr* barrier) {
  auto node = clang::DynTypedNode::create<clang::Stmt>(*barrier);
  for (;;) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return false;
    node = parents[0];
    if (node.get<clang::ConditionalOperator>()) return true;
    if (!node.get<clang::ParenExpr>() && !node.get<clang::CastExpr>()) return false;
  }
}

class Statements : public Visitor {
 public:
  explicit Statements(const Unit& unit) : unit_(unit) {}
  bool VisitCallExpr(clang::CallExpr* c) override {
    if (isBlockBarrier(c) && !isOneOfTwo(unit_, c)) barriers.push_back(c);
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* r) override {
    returns.push_back(r);
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr*) override {
    return true;
  }  // what returns there does not end the kernel

  std::vector<const clang::CallExpr*> barriers;
  std::vector<const clang::ReturnStmt*> returns;

 private:
  const Unit& unit_;
};

// Whether a part of a condition is not known, such as what was loaded.
bool isOpen(Threads& threads, const clang::Expr* condition) {
  if (!condition) return false;
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts());
  if (b && b->isLogicalOp()) return isOpen(threads, b->getLHS()) || isOpen(threads, b->getRHS());
  return agreementOn(threads, condition) == Agreement::Unknown;
}

// "kernel<<<1, UNKNOWN>>>(n)", or "kernel<Unknown><<<1, n>>>(n)", which stands in the text alone.
bool hasUnreadLaunch(Analyses& analyses, const clang::FunctionDecl& kernel) {
  auto& unit = analyses.unit();
  if (!unit.errorOffsets || unit.errorOffsets->empty()) return false;
  auto& launches = analyses.launchesOf(kernel);
  if (!launches.empty())
    return std::any_of(launches.begin(), launches.end(),
                       [](auto& l) { return l.site && l.site->block && l.site->block->containsErrors(); });
  return givesBlockOf(unit.sources.getBufferData(unit.sources.getMainFileID()), kernel.getNameAsString());
}

class ParameterMentions : public Visitor {
 public:
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    found |= llvm::isa<clang::ParmVarDecl>(e->getDecl());
    return !found;
  }
  bool found = false;
};

bool mentionsParameter(const clang::Expr* condition) {
  ParameterMentions mentions;
  mentions.TraverseStmt(const_cast<clang::Expr*>(condition));
  return mentions.found;
}

// The guard that threads of a block disagree on in some sample; null where all agree or nobody knows. Of two
// that ask what was loaded, one may rule the other out.
const Guard* dividing(Analyses& analyses, const clang::FunctionDecl& kernel,
                      const std::vector<Guard>& guards) {
  bool isSizeOpen = hasUnreadLaunch(analyses, kernel);
  for (auto& sample : samplesFor(analyses.unit(), kernel, analyses.launches())) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    auto open =
        std::count_if(guards.begin(), guards.end(), [&](auto& g) { return isOpen(threads, g.condition); });
    for (auto& g : guards) {
      if (agreementOn(threads, g.condition) != Agreement::Differs) continue;
      if (isOfMultiples(analyses, kernel, g.condition)) continue;
      if (isSizeOpen && mentionsParameter(g.condition)) continue;
      if (open < 2 || !isOpen(threads, g.condition)) return &g;
    }
  }
  return nullptr;
}

// Whole warps that return are no longer waited for, on any GPU.
bool partsOnlyWarps(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* condition) {
  if (!condition) return false;
  if (isOfWholeWarps(analyses, kernel, condition)) return true;
  for (auto& sample : samplesFor(analyses.unit(), kernel, analyses.launches())) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    if (agreementOn(threads, condition, Among::Warp) != Agreement::Same) return false;
  }
  return true;
}

bool alwaysReturns(const clang::Stmt* s) {
  if (auto* block = llvm::dyn_cast_or_null<clang::CompoundStmt>(s))
    return !block->body_empty() && alwaysReturns(block->body_back());
  return s && llvm::isa<clang::ReturnStmt>(s);
}

class Traps : public Visitor {
 public:
  bool VisitGCCAsmStmt(clang::GCCAsmStmt* s) override {
    found |= s->getAsmString()->getString().contains("trap");
    return !found;
  }
  bool VisitCallExpr(clang::CallExpr* c) override {
    found |= isCallOf(c, {"__trap", "abort"});
    return !found;
  }
  bool found = false;
};

// The kernel ends there in any case: by a trap, or because all who come into a branch around it return, so
// that the barrier is of another one.
bool endsOtherwise(const Unit& unit, const clang::Stmt* r, const clang::Stmt* barrier) {
  auto node = clang::DynTypedNode::create(*r);
  const clang::Stmt* child = r;
  bool isInnermost = true;
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return false;
    node = parents[0];
    auto* parent = node.get<clang::Stmt>();
    if (!parent) continue;
    if (auto* branch = llvm::dyn_cast<clang::IfStmt>(parent)) {
      Traps traps;
      if (isInnermost) traps.TraverseStmt(const_cast<clang::Stmt*>(child));
      bool isOther = !isInnermost && alwaysReturns(child) && !isWithin(child, unit, barrier);
      if (traps.found || (isOther && child != branch->getCond())) return true;
      isInnermost = false;
    }
    child = parent;
  }
}

// A condition that a macro writes is not in the source: what is there is the macro, "LOOP(i, n)".
std::string conditionText(const Unit& unit, const Guard& g) {
  auto range = g.condition->getSourceRange();
  std::string text = textOf(unit, range);
  if (text.empty()) text = textOf(unit, unit.sources.getExpansionRange(range).getAsRange());
  return text.empty() ? "a condition" : "`" + brief(text) + "`";
}

// Barriers that only a simulation reaches: in functions that are called, behind break and continue.
void addPartings(Analyses& analyses, const clang::FunctionDecl& kernel, const RulePage& page,
                 Findings& findings, bool ofReturns) {
  auto& unit = analyses.unit();
  bool isSizeOpen = hasUnreadLaunch(analyses, kernel);
  auto isOfOpenSize = [&](auto* condition) {
    return isSizeOpen && condition && mentionsParameter(condition);
  };
  for (auto& run : analyses.runsOf(kernel))
    for (auto& p : run.partings) {
      bool isReturn = p.exit && llvm::isa<clang::ReturnStmt>(p.exit);
      if (p.isOfWarp || isReturn != ofReturns || isOneOfTwo(unit, p.barrier)) continue;
      // What parts them in a header is around more than is known of it here.
      const clang::Stmt* cause = p.exit ? p.exit : p.condition;
      if (cause && !offsetOf(unit, cause->getBeginLoc())) continue;
      auto guards = isReturn ? guardsOf(unit, p.exit) : std::vector<Guard>{};
      auto* g = dividing(analyses, kernel, guards);
      if (g && partsOnlyWarps(analyses, kernel, g->condition)) continue;
      if (std::any_of(guards.begin(), guards.end(), [&](auto& guard) {
            return isOfMultiples(analyses, kernel, guard.condition) ||
                   isOfWholeWarps(analyses, kernel, guard.condition) ||
                   (guard.wanted && isBeyondAllLaunches(analyses, kernel, guard.condition));
          }))
        continue;
      if (isReturn && endsOtherwise(unit, p.exit, p.barrier)) continue;
      if (isOfMultiples(analyses, kernel, p.condition) || isOfOpenSize(p.condition)) continue;
      const clang::Expr* call = p.outermost ? p.outermost : p.barrier;
      const clang::Expr* shown = offsetOf(unit, p.barrier->getBeginLoc()) ? p.barrier : call;
      Site site;
      site.function = &kernel;
      if (isReturn) {
        site.range = p.exit->getSourceRange();
        site.message =
            "some threads of a block return here, and the others go on to a barrier that is for all of them";
        site.related.push_back(noted(placeOf(unit, shown->getSourceRange()), "the barrier"));
        findings.add(page, std::move(site));
        continue;
      }
      site.range = call->getSourceRange();
      std::string what = call == p.barrier ? "to this barrier" : "here, where a barrier is called";
      std::string parts = "threads of a block part";
      if (p.condition)
        parts = "`" + brief(textOf(unit, p.condition->getSourceRange())) + "` parts the threads of a block";
      if (p.exit) parts = "threads of a block leave the loop, or its turn, one by one";
      site.message = parts + ", and not all of them come " + what + ": the others may never be waited for";
      if (cause)
        site.related.push_back(noted(placeOf(unit, cause->getSourceRange()), "where the threads part"));
      if (call != shown) site.related.push_back(noted(placeOf(unit, shown->getSourceRange()), "the barrier"));
      findings.add(page, std::move(site));
    }
}

// Of a return, those that do not hold the barrier as well: who comes to neither is not parted by them.
std::vector<Guard> guardsApart(const Unit& unit, const clang::Stmt* r, const clang::Stmt* barrier) {
  auto out = guardsOf(unit, r), common = guardsOf(unit, barrier);
  std::erase_if(out, [&](auto& g) {
    return std::any_of(common.begin(), common.end(),
                       [&](auto& c) { return c.condition == g.condition && c.wanted == g.wanted; });
  });
  return out;
}

// "if (i < n) return;" at the top of a kernel with a barrier behind it.
bool comesBehind(const Unit& unit, const clang::Stmt* later, const clang::Stmt* earlier) {
  auto a = offsetOf(unit, later->getBeginLoc()), b = offsetOf(unit, earlier->getBeginLoc());
  return a && b && *a > *b;
}

}  // namespace

void barrierDivergent(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    Statements statements(unit);
    statements.TraverseStmt(kernel->getBody());
    for (auto* barrier : statements.barriers) {
      auto guards = guardsOf(unit, barrier);
      auto* g = dividing(analyses, *kernel, guards);
      if (!g) continue;
      Site site;
      site.range = barrier->getSourceRange();
      site.function = kernel;
      std::string who = g->isLoop ? "that " + conditionText(unit, *g) + " gives another turn"
                                  : "for which " + conditionText(unit, *g) + (g->wanted ? "" : " is false");
      site.message = "only threads " + who +
                     " come to this barrier, and threads of one block differ in that: the others may never "
                     "be waited for";
      site.related.push_back(noted(placeOf(unit, g->condition->getSourceRange()), "where the threads part"));
      findings.add(page, std::move(site));
    }
    addPartings(analyses, *kernel, page, findings, false);
  }
}

void returnBeforeBarrier(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    Statements statements(unit);
    statements.TraverseStmt(kernel->getBody());
    for (auto* r : statements.returns) {
      for (auto* barrier : statements.barriers) {
        if (!comesBehind(unit, barrier, r)) continue;
        auto guards = guardsApart(unit, r, barrier);
        auto* g = dividing(analyses, *kernel, guards);
        if (!g || (g->wanted && isBeyondAllLaunches(analyses, *kernel, g->condition))) continue;
        if (partsOnlyWarps(analyses, *kernel, g->condition) || endsOtherwise(unit, r, barrier)) continue;
        Site site;
        site.range = r->getSourceRange();
        site.function = kernel;
        site.message = "some threads of a block return here (" + conditionText(unit, *g) +
                       "), and the others go on to a barrier that is for all of them";
        site.related.push_back(noted(placeOf(unit, barrier->getSourceRange()), "the barrier"));
        findings.add(page, std::move(site));
        break;
      }
    }
    addPartings(analyses, *kernel, page, findings, true);
  }
}

}  // namespace kadvise::source

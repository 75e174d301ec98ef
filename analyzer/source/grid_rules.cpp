#include "analyzer/source/grid_rules.h"

#include <algorithm>
#include <set>

#include "analyzer/source/callers.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_facts.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostBlocksInYZ = 65535, kMostBlocksInX = 2147483647;

bool isSizeOfTensor(const clang::Expr* e) {
  auto* call = llvm::dyn_cast<clang::CXXMemberCallExpr>(e->IgnoreParenCasts());
  auto* method = call ? call->getMethodDecl() : nullptr;
  if (!method || !method->getIdentifier() || !isTensor(call->getImplicitObjectArgument()->getType()))
    return false;
  return method->getName() == "numel" || method->getName() == "size";
}

// The elements, or the first dimension: of channels and features there is always one.
bool mayWellBeNone(const Unit& unit, const clang::CXXMemberCallExpr& size) {
  if (size.getMethodDecl()->getName() == "numel") return true;
  return size.getNumArgs() == 1 && constantOf(unit, size.getArg(0)) == 0;
}

// What a value is made of, through variables that are set once: the sizes of tensors, and those variables.
class Sources : public Visitor {
 public:
  explicit Sources(const Unit& unit) : unit_(unit) {}
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    if (!size && isSizeOfTensor(call)) size = call;
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    hasFloor |= f && f->getIdentifier() && (f->getName() == "max" || f->getName() == "clamp");
    return true;
  }
  bool VisitConditionalOperator(clang::ConditionalOperator*) override {
    hasFloor = true;  // "n > 0 ? … : 1"
    return true;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
    bool isNew = v && !llvm::isa<clang::ParmVarDecl>(v) && variables.insert(v).second;
    if (isNew && variables.size() < 64 && v->getInit() && isWrittenOnce(unit_, *v))
      TraverseStmt(const_cast<clang::Expr*>(v->getInit()));
    return true;
  }
  const clang::CXXMemberCallExpr* size = nullptr;
  bool hasFloor = false;
  std::set<const clang::VarDecl*> variables;

 private:
  const Unit& unit_;
};

// Of "n + 1 + 256 - 1": what is added to the sizes, and whether the divisor is. None where something is taken
// away.
struct Sum {
  std::int64_t constant = 0;
  bool hasDivisor = false, isOpen = false;
};

void addTerms(const Unit& unit, const clang::Expr* e, int sign, const std::string& divisor, Sum& out) {
  if (auto n = constantOf(unit, e)) {
    out.constant += sign * *n;
    return;
  }
  e = e->IgnoreParenCasts();
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (b && b->isAdditiveOp()) {
    addTerms(unit, b->getLHS(), sign, divisor, out);
    addTerms(unit, b->getRHS(), b->getOpcode() == clang::BO_Sub ? -sign : sign, divisor, out);
  } else if (sign > 0 && !divisor.empty() && textOf(unit, e->getSourceRange()) == divisor) {
    out.hasDivisor = true;
  } else if (sign < 0) {
    out.isOpen = true;
  }
}

// "(n + 1 + 255) / 256": one block more than the elements need.
bool hasOneMore(const Unit& unit, const clang::Expr* extent) {
  auto* quotient = llvm::dyn_cast<clang::BinaryOperator>(extent->IgnoreParenCasts());
  auto* call = llvm::dyn_cast<clang::CallExpr>(extent->IgnoreParenCasts());
  bool isQuotient = quotient && quotient->getOpcode() == clang::BO_Div;
  if (!isQuotient && (!call || call->getNumArgs() != 2)) return false;
  Sum sum;
  if (!isQuotient) {
    addTerms(unit, call->getArg(0), 1, "", sum);
    return !sum.isOpen && sum.constant >= 1;
  }
  auto divisor = constantOf(unit, quotient->getRHS());
  addTerms(unit, quotient->getLHS(), 1,
           textOf(unit, quotient->getRHS()->IgnoreParenCasts()->getSourceRange()), sum);
  if (sum.isOpen) return false;
  if (!divisor) return sum.hasDivisor && sum.constant >= 0;
  return sum.constant + (sum.hasDivisor ? *divisor : 0) >= *divisor;
}

// "numel() == 0", "n > 0", "if (!n)", TORCH_CHECK(n > 0), an empty() that is asked: the function thought of
// it.
class ZeroChecks : public Visitor {
 public:
  ZeroChecks(const Unit& unit, const std::set<const clang::VarDecl*>& variables)
      : unit_(unit), variables_(variables) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    if (!b->isComparisonOp()) return true;
    bool isSmall = isSmallNumber(b->getLHS()) || isSmallNumber(b->getRHS());
    if (isSmall && (isOfSize(b->getLHS()) || isOfSize(b->getRHS()))) found = true;
    return !found;
  }
  bool VisitUnaryOperator(clang::UnaryOperator* u) override {
    if (u->getOpcode() == clang::UO_LNot && isOfSize(u->getSubExpr())) found = true;
    return !found;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    auto* m = call->getMethodDecl();
    bool asks = m && m->getIdentifier() && (m->getName() == "empty" || m->getName() == "is_empty");
    if (asks && isTensor(call->getImplicitObjectArgument()->getType())) found = true;
    return !found;
  }
  bool VisitImplicitCastExpr(clang::ImplicitCastExpr* cast) override {
    bool isTruth = cast->getCastKind() == clang::CK_IntegralToBoolean;
    if (isTruth && isOfSize(cast->getSubExpr())) found = true;
    return !found;
  }
  bool found = false;

 private:
  bool isSmallNumber(const clang::Expr* e) const {
    auto n = constantOf(unit_, e);
    return n && (*n == 0 || *n == 1);
  }
  bool isOfSize(const clang::Expr* e) const {
    Sources sources(unit_);
    sources.TraverseStmt(const_cast<clang::Expr*>(e));
    return sources.size || std::any_of(sources.variables.begin(), sources.variables.end(),
                                       [&](auto* v) { return variables_.count(v) > 0; });
  }
  const Unit& unit_;
  const std::set<const clang::VarDecl*>& variables_;
};

// One of them compares a tensor's size with zero before it calls on, as far as that can be told.
bool checksForZero(const Unit& unit, const std::vector<const clang::FunctionDecl*>& callers) {
  const std::set<const clang::VarDecl*> none;
  return std::any_of(callers.begin(), callers.end(), [&](auto* f) {
    ZeroChecks checks(unit, none);
    checks.TraverseStmt(f->getBody());
    return checks.found;
  });
}

// A caller in another file that looked at the sizes of what it gives.
bool isCheckedElsewhere(const Unit& unit, const clang::FunctionDecl& f) {
  if (!unit.surroundings) return false;
  FunctionName name = nameForOthers(unit, f);
  for (auto& c : unit.surroundings->calls)
    if (isSame(c.call.callee, name))
      for (auto& facts : c.call.arguments)
        if (std::find(facts.begin(), facts.end(), "size") != facts.end()) return true;
  return false;
}

void addFixedTooLarge(Analyses& analyses, const RulePage& page, const LaunchSite& launch, std::size_t axis,
                      Findings& findings) {
  auto& n = launch.gridExtent[axis];
  std::int64_t most = axis == 0 ? kMostBlocksInX : kMostBlocksInYZ;
  if (!n || *n <= most) return;
  findings.add(page, siteAtGrid(analyses.unit(), launch,
                                kernelNameOf(launch) + " is launched with " + std::to_string(*n) +
                                    " blocks along " + kAxes[axis] + "; no GPU takes more than " +
                                    std::to_string(most) + ", and the launch fails"));
}

bool isZero(const clang::Expr* e) {
  auto* literal = e ? llvm::dyn_cast<clang::IntegerLiteral>(e->IgnoreParenImpCasts()) : nullptr;
  return literal && literal->getValue() == 0;
}

// "<<<0, 256>>>", "<<<dim3(4, 0), 256>>>": in all runs.
void addNeverLaunched(Analyses& analyses, const RulePage& page, const LaunchSite& launch,
                      Findings& findings) {
  auto& unit = analyses.unit();
  for (int axis = 0; axis < 3; ++axis) {
    bool isGrid = isZero(axisOf(unit, launch.grid, axis));
    if (!isGrid && !isZero(axisOf(unit, launch.block, axis))) continue;
    std::string message = kernelNameOf(launch) + " is launched with no " + (isGrid ? "blocks" : "threads") +
                          " along " + kAxes[axis] + ", and the launch fails";
    findings.add(page, isGrid ? siteAtGrid(unit, launch, std::move(message))
                              : siteAtBlock(unit, launch, std::move(message)));
    return;
  }
}

}  // namespace

void gridTooLarge(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto& launch : analyses.launches())
    for (std::size_t axis = 0; axis < 3; ++axis) addFixedTooLarge(analyses, page, launch, axis, findings);
}

void emptyLaunch(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  std::optional<Callers> callers;  // of the file; few launches ask
  for (auto& launch : analyses.launches()) {
    addNeverLaunched(analyses, page, launch, findings);
    if (!launch.caller || !launch.caller->getBody() || isCheckedElsewhere(unit, *asWritten(launch.caller)))
      continue;
    for (int axis = 0; axis < 3; ++axis) {
      auto* extent = axisOf(unit, launch.grid, axis);
      if (!extent || constantOf(unit, extent)) continue;
      if ((!isSizeOfTensor(extent) && !isRoundedUp(unit, extent)) || hasOneMore(unit, extent)) continue;
      Sources sources(unit);
      sources.TraverseStmt(const_cast<clang::Expr*>(extent));
      if (!sources.size || sources.hasFloor || !mayWellBeNone(unit, *sources.size)) continue;
      ZeroChecks checks(unit, sources.variables);
      checks.TraverseStmt(launch.caller->getBody());
      if (checks.found) continue;
      if (!callers) callers.emplace(analyses);
      if (checksForZero(unit, callers->of(*launch.caller))) continue;
      Site site = siteAtGrid(unit, launch,
                             "for a tensor without elements the grid of " + kernelNameOf(launch) +
                                 " has no block, and the launch fails");
      site.related.push_back(noted(placeOf(unit, sources.size->getSourceRange()), "the size"));
      findings.add(page, std::move(site));
      break;
    }
  }
}

}  // namespace kadvise::source

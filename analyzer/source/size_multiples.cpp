#include "analyzer/source/size_multiples.h"

#include <algorithm>
#include <set>
#include <string>

#include "analyzer/source/callers.h"
#include "analyzer/source/constants.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/launch_bounds.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kLanes = 32;
constexpr std::size_t kMostNames = 64;
constexpr int kDeepest = 6;

// What sizes are called: "n" of a variable, ".n" of a field, "x.size(1)" of a call.
using Names = std::set<std::string>;

bool isNumber(clang::QualType type) {
  return !type.isNull() && (type->isDependentType() || type.getNonReferenceType()->isIntegerType());
}

// Those that an expression is made of, through variables and what they begin as.
class Sizes : public Visitor {
 public:
  explicit Sizes(const Unit& unit) : unit_(unit) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    if (llvm::isa<clang::NonTypeTemplateParmDecl>(e->getDecl()) && isNumber(e->getType()))
      names.insert(e->getDecl()->getNameAsString());
    auto* v = llvm::dyn_cast<clang::VarDecl>(e->getDecl());
    if (!v || !isNumber(v->getType()) || v->isConstexpr() || constantOf(unit_, e)) return true;
    if (names.size() > kMostNames || !seen_.insert(v).second) return true;
    names.insert(v->getNameAsString());
    if (!v->isLocalVarDecl()) return true;
    isChanged |= !v->getInit() || !isWrittenOnce(unit_, *v);
    if (v->getInit()) TraverseStmt(const_cast<clang::Expr*>(v->getInit()));
    return true;
  }
  bool VisitMemberExpr(clang::MemberExpr* e) override {
    if (isNumber(e->getType())) names.insert("." + e->getMemberDecl()->getNameAsString());
    return true;
  }
  bool VisitExpr(clang::Expr* e) override {
    if (auto* open = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(e))
      names.insert("." + open->getMember().getAsString());
    return true;
  }
  bool VisitCXXMemberCallExpr(clang::CXXMemberCallExpr* call) override {
    if (isNumber(call->getType())) names.insert(textOf(unit_, call->getSourceRange()));
    return true;
  }
  bool TraversePseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    isOfThread |= index && index->kind == BuiltinIndex::Kind::Thread;
    return true;
  }
  Names names;
  bool isOfThread = false, isChanged = false;

 private:
  const Unit& unit_;
  std::set<const clang::VarDecl*> seen_;
};

Sizes sizesIn(const Unit& unit, const clang::Expr* e) {
  Sizes out(unit);
  if (e) out.TraverseStmt(const_cast<clang::Expr*>(e));
  return out;
}

bool meet(const Names& a, const Names& b) {
  return std::any_of(a.begin(), a.end(), [&](auto& n) { return b.count(n) > 0; });
}

Names fieldsAmong(const Names& names) {
  Names out;
  for (auto& n : names)
    if (n.front() == '.') out.insert(n);
  return out;
}

// By whole warps, or by what is no constant: "n % 4" is a matter of vectors, not of blocks.
bool isOfWarps(const Unit& unit, const clang::Expr* by) {
  auto n = constantOf(unit, by);
  return n ? *n > 0 && *n % kLanes == 0 : isNumber(by->getType());
}

bool adds(const clang::Stmt* s) {
  if (!s) return false;
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(s);
  if (b && b->isAdditiveOp()) return true;
  return std::any_of(s->child_begin(), s->child_end(), [](auto* child) { return adds(child); });
}

// "n % 128" of one of the sizes, or "n / 128" where quotients count.
class Remainders : public Visitor {
 public:
  Remainders(const Unit& unit, const Names& names, bool withQuotients)
      : unit_(unit), names_(names), withQuotients_(withQuotients) {}
  bool VisitBinaryOperator(clang::BinaryOperator* b) override {
    bool isRest = b->getOpcode() == clang::BO_Rem;
    auto divisor = constantOf(unit_, b->getRHS());
    bool isQuotient = withQuotients_ && b->getOpcode() == clang::BO_Div && divisor && !adds(b->getLHS());
    if ((!isRest && !isQuotient) || !isOfWarps(unit_, b->getRHS())) return true;
    Sizes of = sizesIn(unit_, b->getLHS());
    found |= !of.isOfThread && meet(of.names, names_);
    return !found;
  }
  bool found = false;

 private:
  const Unit& unit_;
  const Names& names_;
  bool withQuotients_;
};

bool tellsMultiple(const Unit& unit, const clang::FunctionDecl& f, const Names& names, bool withQuotients) {
  Remainders visitor(unit, names, withQuotients);
  visitor.TraverseStmt(f.getBody());
  return visitor.found;
}

// Of "a * b * c", through variables that are set once.
void addFactors(const Unit& unit, const clang::Expr* e, std::vector<const clang::Expr*>& out, int depth = 0) {
  e = e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts();
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (b && b->getOpcode() == clang::BO_Mul) {
    addFactors(unit, b->getLHS(), out, depth);
    return addFactors(unit, b->getRHS(), out, depth);
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  bool isMade = v && v->isLocalVarDecl() && v->getInit() && !constantOf(unit, e) && isWrittenOnce(unit, *v);
  if (isMade && depth < kDeepest) return addFactors(unit, v->getInit(), out, depth + 1);
  out.push_back(e);
}

// One variable, or set once by one expression.
bool isSameValue(const Unit& unit, const clang::Expr* argument, const clang::Expr* block) {
  auto variableOf = [](const clang::Expr* e) {
    auto* name = e ? llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreUnlessSpelledInSource()->IgnoreParenCasts())
                   : nullptr;
    return name ? name->getDecl() : nullptr;
  };
  auto *a = axisOf(unit, argument, 0), *b = axisOf(unit, block, 0);
  return a && b && (a == b || (variableOf(a) && variableOf(a) == variableOf(b)));
}

// "<<<grid, 128>>>(x, 1024)".
bool isMultipleOf(const Extent& block, std::optional<std::int64_t> size) {
  return size && *size > 0 && block[0] && *block[0] > 0 && block[1] == 1 && block[2] == 1 &&
         *size % *block[0] == 0;
}

// Whether some launch, here or in another file, passes such an argument for one of the names.
bool isPassed(Analyses& analyses, const clang::FunctionDecl& kernel, const Names& names,
              std::vector<int> MultipleArguments::* wanted) {
  auto& unit = analyses.unit();
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  auto isPassedIn = [&](const std::vector<int>& arguments) {
    return std::any_of(arguments.begin(), arguments.end(), [&](int i) {
      auto at = static_cast<unsigned>(i);
      return at < kernel.getNumParams() && names.count(kernel.getParamDecl(at)->getNameAsString()) > 0;
    });
  };
  for (auto& launch : analyses.launches())
    if (launch.kernel && launch.kernel->getCanonicalDecl() == written &&
        isPassedIn(multipleArgumentsOf(unit, launch).*wanted))
      return true;
  if (!unit.surroundings) return false;
  FunctionName name = nameForOthers(unit, *written);
  for (auto& l : unit.surroundings->launches) {
    MultipleArguments there{l.launch.ofBlocks, l.launch.ofWarps};
    if (isSame(l.launch.kernel, name) && isPassedIn(there.*wanted)) return true;
  }
  return false;
}

// What the host that launches the kernel calls a parameter of it.
Names namesOfArguments(const Unit& unit, const LaunchSite& launch, const clang::FunctionDecl& kernel,
                       const Names& names) {
  Names out = fieldsAmong(names);
  for (unsigned i = 0; i < kernel.getNumParams() && i < launch.call->getNumArgs(); ++i)
    if (names.count(kernel.getParamDecl(i)->getNameAsString()))
      out.merge(sizesIn(unit, launch.call->getArg(i)).names);
  return out;
}

bool isCheckedByLaunch(Analyses& analyses, const clang::FunctionDecl& kernel, const Names& names) {
  auto& unit = analyses.unit();
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  std::optional<Callers> callers;
  for (auto& launch : analyses.launches()) {
    if (!launch.kernel || launch.kernel->getCanonicalDecl() != written || !launch.caller) continue;
    Names there = namesOfArguments(unit, launch, kernel, names);
    if (launch.caller->getBody() && tellsMultiple(unit, *launch.caller, there, false)) return true;
    if (!callers) callers.emplace(analyses);
    for (auto* f : callers->of(*launch.caller))
      if (tellsMultiple(unit, *f, there, false)) return true;
  }
  return false;
}

bool isKnownMultiple(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* size) {
  auto& unit = analyses.unit();
  Sizes sizes = sizesIn(unit, size);
  if (sizes.names.empty() || sizes.isOfThread || sizes.isChanged) return false;
  if (tellsMultiple(unit, kernel, sizes.names, true) || isCheckedByLaunch(analyses, kernel, sizes.names) ||
      isPassed(analyses, kernel, sizes.names, &MultipleArguments::ofBlocks))
    return true;
  Names fields = fieldsAmong(sizes.names);
  if (fields.empty()) return false;
  auto tells = [&](auto* f) { return f->getBody() && tellsMultiple(unit, *f, fields, false); };
  auto& host = analyses.hostFunctions();
  return std::any_of(host.begin(), host.end(), tells) ||
         std::any_of(unit.deviceFunctions.begin(), unit.deviceFunctions.end(), tells);
}

// Whether it holds of each comparison of a condition that threads may differ in.
bool holdsOfAll(Analyses& analyses, const clang::Expr* condition,
                llvm::function_ref<bool(const clang::BinaryOperator&)> holds) {
  if (!condition) return false;
  auto* e = condition->IgnoreParenImpCasts();
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_LNot)
    return holdsOfAll(analyses, u->getSubExpr(), holds);
  // A condition that was given a name.
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) {
    auto* v = llvm::dyn_cast<clang::VarDecl>(name->getDecl());
    bool isNamed = v && v->isLocalVarDecl() && v->getInit() && v->getType()->isBooleanType();
    return isNamed && isWrittenOnce(analyses.unit(), *v) && holdsOfAll(analyses, v->getInit(), holds);
  }
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!b || (!b->isRelationalOp() && !b->isLogicalOp())) return false;
  // Of several comparisons each may be what threads differ in, if its index is of the thread.
  if (b->isLogicalOp()) {
    auto isHarmless = [&](const clang::Expr* part) {
      Sizes sizes = sizesIn(analyses.unit(), part);
      return holdsOfAll(analyses, part, holds) || (!sizes.isOfThread && !sizes.isChanged);
    };
    return isHarmless(b->getLHS()) && isHarmless(b->getRHS());
  }
  return holds(*b);
}

bool endsAtMultiple(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::BinaryOperator& b) {
  return isKnownMultiple(analyses, kernel, b.getRHS()) || isKnownMultiple(analyses, kernel, b.getLHS());
}

}  // namespace

bool isOfMultiples(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* condition) {
  return holdsOfAll(analyses, condition, [&](auto& b) {
    return endsAtMultiple(analyses, kernel, b) || mayEndTheBlock(analyses, kernel, b);
  });
}

bool partsBetweenWarps(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* condition) {
  return holdsOfAll(analyses, condition, [&](auto& b) { return endsAtMultiple(analyses, kernel, b); });
}

bool isOfWholeWarps(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* condition) {
  return condition &&
         isPassed(analyses, kernel, sizesIn(analyses.unit(), condition).names, &MultipleArguments::ofWarps);
}

MultipleArguments multipleArgumentsOf(const Unit& unit, const LaunchSite& launch) {
  MultipleArguments out;
  Names ofBlock = sizesIn(unit, launch.block).names;
  for (unsigned i = 0; i < launch.call->getNumArgs() && i < kMostNames; ++i) {
    auto* argument = launch.call->getArg(i);
    if (argument->isTypeDependent() || !argument->getType()->isIntegerType()) continue;
    if (isMultipleOf(launch.blockExtent, constantOf(unit, argument)))
      out.ofBlocks.push_back(static_cast<int>(i));
    if (launch.block && isSameValue(unit, argument, launch.block))
      out.ofBlocks.push_back(static_cast<int>(i));
    std::vector<const clang::Expr*> factors;
    addFactors(unit, argument, factors);
    if (factors.size() < 2) continue;
    auto any = [&](auto&& holds) { return std::any_of(factors.begin(), factors.end(), holds); };
    if (any([&](auto* f) { return meet(sizesIn(unit, f).names, ofBlock); }))
      out.ofBlocks.push_back(static_cast<int>(i));
    if (any([&](auto* f) {
          auto n = constantOf(unit, f);
          return n && *n > 0 && *n % kLanes == 0;
        }))
      out.ofWarps.push_back(static_cast<int>(i));
  }
  return out;
}

}  // namespace kadvise::source

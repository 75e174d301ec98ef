#include "analyzer/source/same_memory.h"

#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 4;  // host functions that hand pointers on
constexpr unsigned kMostArguments = 24;

// The variable and the fields that an argument is counted from; empty where that is not known.
using Base = std::vector<const clang::Decl*>;

Base baseOf(const clang::Expr* e) {
  e = e->IgnoreParenCasts();
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return {name->getDecl()->getCanonicalDecl()};
  if (auto* m = llvm::dyn_cast<clang::MemberExpr>(e)) {
    Base out = llvm::isa<clang::CXXThisExpr>(m->getBase()->IgnoreParenCasts()) ? Base{nullptr}
                                                                               : baseOf(m->getBase());
    if (!out.empty()) out.push_back(m->getMemberDecl()->getCanonicalDecl());
    return out;
  }
  // x.data_ptr(): no other argument says which memory. In a template the name is still open.
  if (auto* call = llvm::dyn_cast<clang::CallExpr>(e)) {
    auto* callee = call->getCallee()->IgnoreParenImpCasts();
    if (call->getNumArgs() > 0) return {};
    if (auto* m = llvm::dyn_cast<clang::MemberExpr>(callee)) return baseOf(m->getBase());
    auto* open = llvm::dyn_cast<clang::CXXDependentScopeMemberExpr>(callee);
    return open && !open->isImplicitAccess() ? baseOf(open->getBase()) : Base{};
  }
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e)) {
    bool isElement = u->getOpcode() == clang::UO_AddrOf;
    auto* s = llvm::dyn_cast<clang::ArraySubscriptExpr>(u->getSubExpr()->IgnoreParenCasts());
    return isElement && s ? baseOf(s->getBase()) : Base{};
  }
  auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (!sum || !sum->isAdditiveOp()) return {};
  bool isLeft = sum->getLHS()->getType()->isPointerType() || !sum->getRHS()->getType()->isPointerType();
  return baseOf(isLeft ? sum->getLHS() : sum->getRHS());
}

// A number has a variable, too: it is no memory.
bool mayPoint(const clang::Expr* e) {
  auto type = e->getType();
  return type->isPointerType() || type->isArrayType() || type->isDependentType();
}

const clang::FunctionDecl* calledBy(const clang::CallExpr& call) {
  const clang::FunctionDecl* f = call.getDirectCallee();
  if (!f) f = functionNamedBy(call.getCallee());
  return f ? asWritten(f) : nullptr;
}

class Calls : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    all.push_back(call);
    return true;
  }
  std::vector<const clang::CallExpr*> all;
};

// The place among the parameters of a host function of what an argument is counted from; -1 for others.
int parameterOf(const clang::FunctionDecl& f, const clang::Expr* argument) {
  auto base = baseOf(argument);
  for (unsigned i = 0; i < f.getNumParams(); ++i)
    if (base == Base{f.getParamDecl(i)->getCanonicalDecl()}) return static_cast<int>(i);
  return -1;
}

bool isAmong(const std::vector<ArgumentPair>& pairs, int a, int b) {
  return std::find(pairs.begin(), pairs.end(), ArgumentPair{std::min(a, b), std::max(a, b)}) != pairs.end();
}

bool isSaidByOthers(const Unit& unit, const clang::FunctionDecl& f, int a, int b) {
  if (!unit.surroundings) return false;
  auto name = nameForOthers(unit, f);
  auto& s = *unit.surroundings;
  return std::any_of(
             s.launches.begin(), s.launches.end(),
             [&](auto& l) { return isSame(l.launch.kernel, name) && isAmong(l.launch.overlaps, a, b); }) ||
         std::any_of(s.calls.begin(), s.calls.end(),
                     [&](auto& c) { return isSame(c.call.callee, name) && isAmong(c.call.overlaps, a, b); });
}

bool areOneMemory(Analyses& analyses, const clang::FunctionDecl& f, int a, int b, int depth) {
  if (isSaidByOthers(analyses.unit(), f, a, b)) return true;
  for (auto* host : analyses.hostFunctions()) {
    Calls calls;
    calls.TraverseStmt(host->getBody());
    for (auto* call : calls.all) {
      if (calledBy(*call) != &f) continue;
      if (isAmong(overlapsOf(*call), a, b)) return true;
      auto count = static_cast<int>(call->getNumArgs());
      if (a >= count || b >= count || depth >= kDeepest || asWritten(host) == &f) continue;
      int first = parameterOf(*host, call->getArg(static_cast<unsigned>(a)));
      int second = parameterOf(*host, call->getArg(static_cast<unsigned>(b)));
      if (first >= 0 && second >= 0 && areOneMemory(analyses, *asWritten(host), first, second, depth + 1))
        return true;
    }
  }
  return false;
}

}  // namespace

std::vector<ArgumentPair> overlapsOf(const clang::CallExpr& call) {
  std::vector<Base> bases;
  for (auto* argument : call.arguments()) {
    if (bases.size() >= kMostArguments) break;
    bases.push_back(mayPoint(argument) ? baseOf(argument) : Base{});
  }
  std::vector<ArgumentPair> out;
  for (std::size_t a = 0; a < bases.size(); ++a)
    for (std::size_t b = a + 1; b < bases.size(); ++b)
      if (!bases[a].empty() && bases[a] == bases[b])
        out.push_back({static_cast<int>(a), static_cast<int>(b)});
  return out;
}

bool areOneMemory(Analyses& analyses, const clang::FunctionDecl& f, int first, int second) {
  return areOneMemory(analyses, *asWritten(&f), first, second, 0);
}

}  // namespace kadvise::source

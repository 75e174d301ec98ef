#include "analyzer/source/launch_bounds.h"

#include <algorithm>

#include "analyzer/source/constants.h"
#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

// Through a variable that is set once.
const clang::Expr* valueOf(const Unit& unit, const clang::Expr* e) {
  e = e->IgnoreParenImpCasts();
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  return v && v->getInit() && isWrittenOnce(unit, *v) ? v->getInit()->IgnoreParenImpCasts() : e;
}

const clang::ParmVarDecl* parameterOf(const clang::Expr* e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e->IgnoreParenImpCasts());
  return name ? llvm::dyn_cast<clang::ParmVarDecl>(name->getDecl()) : nullptr;
}

// blockIdx.x * blockDim.x + threadIdx.x
bool isFlatIndex(const Unit& unit, const clang::Expr* e) {
  e = valueOf(unit, e);
  using Kind = BuiltinIndex::Kind;
  auto is = [](const clang::Expr* x, Kind kind) {
    auto index = builtinIndexOf(x);
    return index && index->kind == kind && index->axis == 0;
  };
  auto isOfBlock = [&](const clang::Expr* x) {
    auto* b = llvm::dyn_cast<clang::BinaryOperator>(x->IgnoreParenImpCasts());
    return b && b->getOpcode() == clang::BO_Mul &&
           ((is(b->getLHS(), Kind::Block) && is(b->getRHS(), Kind::BlockSize)) ||
            (is(b->getRHS(), Kind::Block) && is(b->getLHS(), Kind::BlockSize)));
  };
  auto* sum = llvm::dyn_cast<clang::BinaryOperator>(e);
  return sum && sum->getOpcode() == clang::BO_Add &&
         ((isOfBlock(sum->getLHS()) && is(sum->getRHS(), Kind::Thread)) ||
          (isOfBlock(sum->getRHS()) && is(sum->getLHS(), Kind::Thread)));
}

}  // namespace

bool isBeyondAllLaunches(Analyses& analyses, const clang::FunctionDecl& kernel,
                         const clang::Expr* condition) {
  auto& unit = analyses.unit();
  auto* b = condition ? llvm::dyn_cast<clang::BinaryOperator>(condition->IgnoreParenImpCasts()) : nullptr;
  bool asks = b && (b->getOpcode() == clang::BO_GE || b->getOpcode() == clang::BO_GT);
  auto* n = asks ? parameterOf(b->getRHS()) : nullptr;
  if (!n || !isFlatIndex(unit, b->getLHS())) return false;
  auto& launches = analyses.launchesOf(kernel);
  return !launches.empty() && std::all_of(launches.begin(), launches.end(), [&](auto& l) {
    auto at = n->getFunctionScopeIndex();
    bool isKnown = l.site && l.site->call && l.grid[0] && l.block[0] && at < l.site->call->getNumArgs() &&
                   llvm::isa<clang::CUDAKernelCallExpr>(l.site->call);
    auto given = isKnown ? constantOf(unit, l.site->call->getArg(at)) : std::nullopt;
    return given && *l.grid[0] * *l.block[0] <= *given;
  });
}

bool mayEndTheBlock(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::BinaryOperator& b) {
  if (!analyses.launchesOf(kernel).empty()) return false;
  auto isIndex = [&](const clang::Expr* e) {
    auto index = builtinIndexOf(valueOf(analyses.unit(), e));
    return index && index->kind == BuiltinIndex::Kind::Thread;
  };
  return (isIndex(b.getLHS()) && parameterOf(b.getRHS())) || (isIndex(b.getRHS()) && parameterOf(b.getLHS()));
}

}  // namespace kadvise::source

#include "analyzer/source/narrow_arguments.h"

#include <functional>

#include "analyzer/source/fixed_numbers.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr unsigned kNarrowBits = 32;
constexpr std::int64_t kTile = 32;
constexpr int kDeepest = 4;

bool beginsWide(const clang::ASTContext& context, const clang::Expr& e) {
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(&e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  auto value = v && v->getInit() ? v->getInit()->getIntegerConstantExpr(context) : std::nullopt;
  return value && value->getSignificantBits() > kNarrowBits;
}

bool isSmall(clang::ASTContext& context, const clang::Expr& argument) {
  auto* e = argument.IgnoreParenImpCasts();
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  if (name && llvm::isa<clang::NonTypeTemplateParmDecl>(name->getDecl())) return true;
  if (e->isTypeDependent() || e->isValueDependent()) return false;
  auto value = e->getIntegerConstantExpr(context);
  return value && value->getExtValue() <= kTile;
}

// Launches with "<<<" of one kernel or of instances of it; of another function, its calls.
class Launches : public Visitor {
 public:
  using Question = std::function<bool(clang::ASTContext&, const clang::Expr&)>;
  Launches(clang::ASTContext& context, const clang::FunctionDecl& kernel, unsigned parameter, Question asks)
      : context_(context), kernel_(kernel), parameter_(parameter), asks_(std::move(asks)) {}

  bool VisitCallExpr(clang::CallExpr* call) override {
    bool isLaunch = llvm::isa<clang::CUDAKernelCallExpr>(call);
    if (isLaunch != kernel_.hasAttr<clang::CUDAGlobalAttr>() || !isOfKernel(*call->getCallee())) return true;
    isSeen = true;
    holds &= parameter_ < call->getNumArgs() && asks_(context_, *call->getArg(parameter_));
    return holds;
  }
  bool isSeen = false, holds = true;

 private:
  bool isKernel(const clang::NamedDecl* d) const {
    if (auto* made = llvm::dyn_cast<clang::FunctionTemplateDecl>(d)) d = made->getTemplatedDecl();
    auto* function = llvm::dyn_cast<clang::FunctionDecl>(d);
    if (!function) return false;
    if (auto* pattern = function->getTemplateInstantiationPattern()) function = pattern;
    return function->getCanonicalDecl() == kernel_.getCanonicalDecl();
  }
  bool isOfKernel(const clang::Expr& callee) const {
    auto* e = callee.IgnoreParenImpCasts();
    if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e)) return isKernel(name->getDecl());
    auto* names = llvm::dyn_cast<clang::OverloadExpr>(e);
    return names && llvm::any_of(names->decls(), [&](auto* d) { return isKernel(d); });
  }

  clang::ASTContext& context_;
  const clang::FunctionDecl& kernel_;
  unsigned parameter_;
  Question asks_;
};

bool eachLaunchGives(clang::ASTContext& context, const clang::ParmVarDecl& parameter,
                     const Launches::Question& asks) {
  auto* kernel = llvm::dyn_cast<clang::FunctionDecl>(parameter.getDeclContext());
  if (!kernel) return false;
  if (auto* pattern = kernel->getTemplateInstantiationPattern()) kernel = pattern;
  Launches launches(context, *kernel, parameter.getFunctionScopeIndex(), asks);
  for (auto* d : context.getTraversalScope()) launches.TraverseDecl(d);
  return launches.isSeen && launches.holds;
}

bool isNarrow(clang::ASTContext& context, const clang::Expr& argument, int depth) {
  auto* e = argument.IgnoreParenImpCasts();
  if (e->isTypeDependent() || e->isValueDependent()) return false;
  if (auto value = e->getIntegerConstantExpr(context)) return value->getSignificantBits() <= kNarrowBits;
  auto type = e->getType();
  if (!type->isIntegralOrEnumerationType()) return false;
  if (context.getTypeSize(type) <= kNarrowBits) return true;
  // The size that a loop makes of constants is the one the program has been run with.
  if (!beginsWide(context, *e) && isFixed(context, *e)) return true;
  if (depth >= kDeepest) return false;
  // "bytes / sizeof(float)", of bytes that were counted in 32 bits.
  auto* b = llvm::dyn_cast<clang::BinaryOperator>(e);
  if (b && (b->getOpcode() == clang::BO_Div || b->getOpcode() == clang::BO_Shr))
    return isNarrow(context, *b->getLHS(), depth + 1);
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (auto* parameter = llvm::dyn_cast_or_null<clang::ParmVarDecl>(v))
    return eachLaunchGives(context, *parameter,
                           [&](auto& c, auto& given) { return isNarrow(c, given, depth + 1); });
  auto values = v ? valuesOf(*v) : std::nullopt;
  return values && llvm::all_of(*values, [&](auto* value) { return isNarrow(context, *value, depth + 1); });
}

}  // namespace

bool isGivenNarrow(clang::ASTContext& context, const clang::ParmVarDecl& parameter) {
  return eachLaunchGives(context, parameter, [](auto& c, auto& given) { return isNarrow(c, given, 0); });
}

bool isGivenSmall(clang::ASTContext& context, const clang::ParmVarDecl& parameter) {
  return eachLaunchGives(context, parameter, isSmall);
}

}  // namespace kadvise::source

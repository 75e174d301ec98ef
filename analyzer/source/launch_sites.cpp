#include "analyzer/source/launch_sites.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/written_once.h"

namespace kadvise::source {
namespace {

constexpr int kDeepest = 8;

std::optional<std::int64_t> constantOf(const Unit& unit, const clang::Expr* e, int depth);

std::optional<std::int64_t> applied(clang::BinaryOperatorKind op, std::int64_t a, std::int64_t b) {
  std::int64_t out = 0;
  switch (op) {
    case clang::BO_Add:
      return __builtin_add_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Sub:
      return __builtin_sub_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Mul:
      return __builtin_mul_overflow(a, b, &out) ? std::nullopt : std::optional(out);
    case clang::BO_Div:
      return b == 0 || b == -1 ? std::nullopt : std::optional(a / b);
    default:
      return std::nullopt;
  }
}

std::optional<std::int64_t> constantOf(const Unit& unit, const clang::Expr* e, int depth) {
  if (!e || depth > kDeepest || e->isValueDependent() || e->isTypeDependent()) return std::nullopt;
  clang::Expr::EvalResult value;
  if (e->getType()->isIntegralOrEnumerationType() && e->EvaluateAsInt(value, unit.context)) {
    auto number = value.Val.getInt();
    return number.getSignificantBits() <= 63 ? std::optional(number.getExtValue()) : std::nullopt;
  }
  e = e->IgnoreParenImpCasts();
  if (auto* cast = llvm::dyn_cast<clang::ExplicitCastExpr>(e))
    return constantOf(unit, cast->getSubExpr(), depth + 1);
  if (auto* binary = llvm::dyn_cast<clang::BinaryOperator>(e)) {
    auto a = constantOf(unit, binary->getLHS(), depth + 1), b = constantOf(unit, binary->getRHS(), depth + 1);
    return a && b ? applied(binary->getOpcode(), *a, *b) : std::nullopt;
  }
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || !isWrittenOnce(unit, *variable)) return std::nullopt;
  return constantOf(unit, variable->getInit(), depth + 1);
}

// A dim3: dim3(16, 16), a number, or a variable that was made so once.
Extent extentOf(const Unit& unit, const clang::Expr* e, int depth = 0) {
  if (!e || depth > kDeepest) return {};
  e = e->IgnoreUnlessSpelledInSource();
  if (e->getType().isNull()) return {};  // what did not parse
  if (auto* made = llvm::dyn_cast<clang::CXXConstructExpr>(e)) {
    if (made->getNumArgs() == 1 && !made->getArg(0)->getType()->isIntegerType())
      return extentOf(unit, made->getArg(0), depth + 1);
    Extent out = {1, 1, 1};
    for (unsigned i = 0; i < made->getNumArgs() && i < 3; ++i) {
      auto* argument = made->getArg(i);
      if (!llvm::isa<clang::CXXDefaultArgExpr>(argument)) out[i] = constantOf(unit, argument);
    }
    return out;
  }
  if (auto* list = llvm::dyn_cast<clang::InitListExpr>(e)) {
    Extent out = {1, 1, 1};
    for (unsigned i = 0; i < list->getNumInits() && i < 3; ++i) out[i] = constantOf(unit, list->getInit(i));
    return out;
  }
  if (e->getType()->isIntegerType()) return {constantOf(unit, e), 1, 1};
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e);
  auto* variable = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  if (!variable || !variable->getInit() || !isWrittenOnce(unit, *variable)) return {};
  return extentOf(unit, variable->getInit(), depth + 1);
}

const clang::FunctionDecl* kernelOf(const clang::CUDAKernelCallExpr& call) {
  if (auto* f = call.getDirectCallee()) return asWritten(f);
  // In a template the name is not looked up yet: one candidate is the kernel.
  auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(call.getCallee()->IgnoreParenImpCasts());
  if (!unresolved || unresolved->getNumDecls() != 1) return nullptr;
  return (*unresolved->decls_begin())->getUnderlyingDecl()->getAsFunction();
}

class Launches : public clang::RecursiveASTVisitor<Launches> {
 public:
  explicit Launches(const Unit& unit) : unit_(unit) {}
  bool shouldVisitTemplateInstantiations() const { return true; }
  bool shouldVisitLambdaBody() const { return true; }

  bool VisitCUDAKernelCallExpr(clang::CUDAKernelCallExpr* call) {
    LaunchSite site;
    site.call = call;
    site.kernel = kernelOf(*call);
    site.caller = functionAround(unit_, call);
    take(*call->getConfig(), site);
    found.push_back(site);
    return true;
  }

  std::vector<LaunchSite> found;

 private:
  void take(const clang::CallExpr& config, LaunchSite& site) {
    auto argument = [&](unsigned i) -> const clang::Expr* {
      if (i >= config.getNumArgs() || llvm::isa<clang::CXXDefaultArgExpr>(config.getArg(i))) return nullptr;
      return config.getArg(i);
    };
    site.grid = argument(0), site.block = argument(1), site.sharedBytes = argument(2),
    site.stream = argument(3);
    site.gridExtent = extentOf(unit_, site.grid);
    site.blockExtent = extentOf(unit_, site.block);
    site.constantSharedBytes =
        site.sharedBytes ? constantOf(unit_, site.sharedBytes) : std::optional<std::int64_t>(0);
  }

  const Unit& unit_;
};

}  // namespace

std::optional<std::int64_t> constantOf(const Unit& unit, const clang::Expr* e) {
  return constantOf(unit, e, 0);
}

std::vector<LaunchSite> launchSitesOf(const Unit& unit) {
  Launches visitor(unit);
  for (auto* d : unit.declarations) visitor.TraverseDecl(d);
  return visitor.found;
}

}  // namespace kadvise::source

#include "analyzer/source/host_functions.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

class HostFunctions : public Visitor {
 public:
  explicit HostFunctions(HostScope scope) : scope_(scope) {}
  bool shouldVisitTemplateInstantiations() const override { return scope_.withInstances; }
  bool VisitFunctionDecl(clang::FunctionDecl* f) override {
    auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(f);
    bool isLambda = method && method->getParent()->isLambda();
    bool isOfBoth = scope_.withBoth && !isKernel(*f) && f->hasAttr<clang::CUDAHostAttr>();
    bool isHost = !isDeviceCode(*f) || isOfBoth;
    if (f->isThisDeclarationADefinition() && f->hasBody() && isHost && !isLambda) found.push_back(f);
    return true;
  }
  std::vector<const clang::FunctionDecl*> found;

 private:
  HostScope scope_;
};

}  // namespace

std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit& unit, HostScope scope) {
  HostFunctions visitor(scope);
  for (auto* d : unit.declarations) visitor.TraverseDecl(d);
  return visitor.found;
}

const clang::FunctionDecl* functionNamedBy(const clang::Expr* e) {
  e = e->IgnoreParenCasts();
  if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(e); u && u->getOpcode() == clang::UO_AddrOf)
    e = u->getSubExpr()->IgnoreParenCasts();
  if (auto* name = llvm::dyn_cast<clang::DeclRefExpr>(e))
    return llvm::dyn_cast<clang::FunctionDecl>(name->getDecl());
  auto* unresolved = llvm::dyn_cast<clang::OverloadExpr>(e);
  if (!unresolved || unresolved->getNumDecls() != 1) return nullptr;
  return (*unresolved->decls_begin())->getUnderlyingDecl()->getAsFunction();
}

llvm::StringRef calleeName(const clang::CallExpr& call) {
  auto* f = call.getDirectCallee();
  return f && f->getIdentifier() ? f->getName() : llvm::StringRef();
}

}  // namespace kadvise::source

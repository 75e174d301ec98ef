#include "analyzer/source/host_functions.h"

#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

class HostFunctions : public Visitor {
 public:
  bool VisitFunctionDecl(clang::FunctionDecl* f) override {
    auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(f);
    bool isLambda = method && method->getParent()->isLambda();
    if (f->isThisDeclarationADefinition() && f->hasBody() && !isDeviceCode(*f) && !isLambda)
      found.push_back(f);
    return true;
  }
  std::vector<const clang::FunctionDecl*> found;
};

}  // namespace

std::vector<const clang::FunctionDecl*> hostFunctionsOf(const Unit& unit) {
  HostFunctions visitor;
  for (auto* d : unit.declarations) visitor.TraverseDecl(d);
  return visitor.found;
}

llvm::StringRef calleeName(const clang::CallExpr& call) {
  auto* f = call.getDirectCallee();
  return f && f->getIdentifier() ? f->getName() : llvm::StringRef();
}

}  // namespace kadvise::source

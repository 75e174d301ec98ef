#include "analyzer/source/device_code.h"
#include "analyzer/source/visitor.h"

#include <algorithm>
#include <set>

namespace kadvise::source {
namespace {

template <class Attribute>
bool hasWritten(const clang::FunctionDecl& f) {
  auto* a = f.getAttr<Attribute>();
  return a && !a->isImplicit();
}

class DeviceFunctions : public Visitor {
 public:
  bool shouldVisitTemplateInstantiations() const override { return true; }
  bool VisitFunctionDecl(clang::FunctionDecl* f) override {
    if (f->isThisDeclarationADefinition() && f->hasBody() && isDeviceCode(*f)) found.push_back(f);
    return true;
  }
  std::vector<const clang::FunctionDecl*> found;
};

}  // namespace

bool isKernel(const clang::FunctionDecl& f) { return f.hasAttr<clang::CUDAGlobalAttr>(); }

bool isDeviceCode(const clang::FunctionDecl& f) {
  return isKernel(f) || hasWritten<clang::CUDADeviceAttr>(f);
}

std::vector<const clang::FunctionDecl*> deviceFunctionsOf(const Unit& unit) {
  DeviceFunctions visitor;
  for (auto* d : unit.declarations) visitor.TraverseDecl(d);
  // Instances come behind their template: one of them has the types that the template lacks.
  std::vector<const clang::FunctionDecl*> out;
  std::set<const clang::FunctionDecl*> instantiated, taken;
  for (auto* f : visitor.found)
    if (asWritten(f) != f) instantiated.insert(asWritten(f));
  for (auto* f : visitor.found) {
    bool isPattern = asWritten(f) == f;
    if (isPattern ? instantiated.count(f) == 0 : taken.insert(asWritten(f)).second) out.push_back(f);
  }
  return out;
}

std::optional<BuiltinIndex> builtinIndexOf(const clang::Expr* e) {
  if (!e) return std::nullopt;
  e = e->IgnoreParenImpCasts();
  auto* pseudo = llvm::dyn_cast<clang::PseudoObjectExpr>(e);
  if (!pseudo) return std::nullopt;
  auto* property = llvm::dyn_cast<clang::MSPropertyRefExpr>(pseudo->getSyntacticForm()->IgnoreParens());
  if (!property) return std::nullopt;
  const clang::Expr* base = property->getBaseExpr()->IgnoreParenImpCasts();
  if (auto* opaque = llvm::dyn_cast<clang::OpaqueValueExpr>(base))
    base = opaque->getSourceExpr()->IgnoreParenImpCasts();
  auto* object = llvm::dyn_cast<clang::DeclRefExpr>(base);
  if (!object || !object->getDecl()->getIdentifier()) return std::nullopt;
  llvm::StringRef name = object->getDecl()->getName(), member = property->getPropertyDecl()->getName();
  if (member.size() != 1 || member[0] < 'x' || member[0] > 'z') return std::nullopt;
  int axis = member[0] - 'x';
  if (name == "threadIdx") return BuiltinIndex{BuiltinIndex::Kind::Thread, axis};
  if (name == "blockIdx") return BuiltinIndex{BuiltinIndex::Kind::Block, axis};
  if (name == "blockDim") return BuiltinIndex{BuiltinIndex::Kind::BlockSize, axis};
  if (name == "gridDim") return BuiltinIndex{BuiltinIndex::Kind::GridSize, axis};
  return std::nullopt;
}

const clang::FunctionDecl* calleeOf(const clang::CallExpr* call) {
  return call ? call->getDirectCallee() : nullptr;
}

bool isCallOf(const clang::Stmt* s, llvm::ArrayRef<llvm::StringRef> names) {
  auto* f = calleeOf(llvm::dyn_cast_or_null<clang::CallExpr>(s));
  if (!f || !f->getIdentifier()) return false;
  return std::find(names.begin(), names.end(), f->getName()) != names.end();
}

bool isBlockBarrier(const clang::Stmt* s) {
  if (isCallOf(s, {"__syncthreads", "__syncthreads_count", "__syncthreads_and", "__syncthreads_or"}))
    return true;
  // A static function of the class in CUDA's own header.
  auto* method =
      llvm::dyn_cast_or_null<clang::CXXMethodDecl>(calleeOf(llvm::dyn_cast_or_null<clang::CallExpr>(s)));
  return method && method->getIdentifier() && method->getName() == "sync" &&
         method->getParent()->getName() == "thread_block";
}

const clang::FunctionDecl* asWritten(const clang::FunctionDecl* f) {
  auto* pattern = f ? f->getTemplateInstantiationPattern() : nullptr;
  return pattern ? pattern : f;
}

namespace {

bool isOfLambda(const clang::FunctionDecl& f) {
  auto* method = llvm::dyn_cast<clang::CXXMethodDecl>(&f);
  return method && method->getParent()->isLambda();
}

}  // namespace

const clang::FunctionDecl* hostFunctionAround(const Unit& unit, const clang::Stmt* s) {
  auto node = clang::DynTypedNode::create(*s);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty()) return nullptr;
    node = parents[0];
    if (auto* f = node.get<clang::FunctionDecl>(); f && !isOfLambda(*f)) return f;
  }
}

}  // namespace kadvise::source

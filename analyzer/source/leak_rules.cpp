#include "analyzer/source/leak_rules.h"

#include <map>

#include "analyzer/source/device_code.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

// One local pointer that cudaMalloc sets.
struct Allocation {
  const clang::CallExpr* made = nullptr;
  std::vector<const clang::CallExpr*> frees;
  bool escapes = false;  // somebody else may free it
};

using Allocations = std::map<const clang::VarDecl*, Allocation>;

const clang::VarDecl* localPointer(const clang::Expr* e) {
  auto* u = llvm::dyn_cast<clang::UnaryOperator>(e->IgnoreParenCasts());
  if (!u || u->getOpcode() != clang::UO_AddrOf) return nullptr;
  auto* name = llvm::dyn_cast<clang::DeclRefExpr>(u->getSubExpr()->IgnoreParenCasts());
  auto* v = name ? llvm::dyn_cast<clang::VarDecl>(name->getDecl()) : nullptr;
  bool isPlain =
      v && v->hasLocalStorage() && !llvm::isa<clang::ParmVarDecl>(v) && v->getType()->isPointerType();
  return isPlain ? v : nullptr;
}

class Makers : public Visitor {
 public:
  explicit Makers(Allocations& out) : out_(out) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto name = calleeName(*call);
    bool makes = name == "cudaMalloc" || name == "cudaMallocManaged" || name == "cudaMallocPitch";
    if (auto* v = makes && call->getNumArgs() > 0 ? localPointer(call->getArg(0)) : nullptr)
      if (!out_[v].made) out_[v].made = call;
    return true;
  }
  bool VisitReturnStmt(clang::ReturnStmt* r) override {
    returns.push_back(r);
    return true;
  }
  bool TraverseLambdaExpr(clang::LambdaExpr*) override { return true; }
  std::vector<const clang::ReturnStmt*> returns;

 private:
  Allocations& out_;
};

// What becomes of each mention: an argument of the runtime or of a launch keeps it here.
class Mentions : public Visitor {
 public:
  Mentions(const Unit& unit, Allocations& all) : unit_(unit), all_(all) {}
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    auto known = all_.find(llvm::dyn_cast<clang::VarDecl>(e->getDecl()));
    if (known != all_.end()) take(e, known->second);
    return true;
  }

 private:
  void take(const clang::Expr* mention, Allocation& a) {
    auto node = clang::DynTypedNode::create<clang::Stmt>(*mention);
    const clang::Stmt* child = mention;
    bool isAddress = false;
    for (int i = 0; i < 24; ++i) {
      auto parents = unit_.context.getParents(node);
      if (parents.empty()) break;
      node = parents[0];
      auto* parent = node.get<clang::Stmt>();
      if (!parent) break;  // the initialiser of another variable
      if (auto* u = llvm::dyn_cast<clang::UnaryOperator>(parent))
        isAddress |= u->getOpcode() == clang::UO_AddrOf;
      if (auto* call = llvm::dyn_cast<clang::CallExpr>(parent)) return ofCall(*call, a, isAddress);
      if (auto* b = llvm::dyn_cast<clang::BinaryOperator>(parent)) {
        if (b->isComparisonOp() || b->isLogicalOp() || (b->isAssignmentOp() && child == b->getLHS())) return;
        if (b->isAssignmentOp()) break;
      }
      if (llvm::isa<clang::IfStmt, clang::WhileStmt, clang::CompoundStmt>(parent)) return;
      if (llvm::isa<clang::UnaryExprOrTypeTraitExpr>(parent)) return;
      if (!llvm::isa<clang::Expr>(parent)) break;  // returned, or what a declaration starts with
      child = parent;
    }
    a.escapes = true;
  }

  void ofCall(const clang::CallExpr& call, Allocation& a, bool isAddress) {
    auto name = calleeName(call);
    if (llvm::isa<clang::CUDAKernelCallExpr>(call) && !isAddress) return;
    if (name.starts_with("cudaFree")) return a.frees.push_back(&call);
    if (name.starts_with("cudaMalloc")) return;
    bool isOfRuntime =
        name.starts_with("cudaMem") || name.starts_with("cudaGet") || name.starts_with("printf");
    if (!isOfRuntime || isAddress) a.escapes = true;
  }

  const Unit& unit_;
  Allocations& all_;
};

bool isOfErrors(clang::QualType type) {
  if (type.isNull()) return false;
  auto* tag = type.getCanonicalType()->getAsTagDecl();
  auto name = tag && tag->getIdentifier() ? tag->getName() : llvm::StringRef();
  return name.contains("Error") || name.contains("Status") || name.contains("Result") ||
         name.contains("status");
}

class AsksForErrors : public Visitor {
 public:
  explicit AsksForErrors(const clang::VarDecl* pointer) : pointer_(pointer) {}
  bool VisitExpr(clang::Expr* e) override {
    found |= isOfErrors(e->getType());
    return !found;
  }
  bool VisitDeclRefExpr(clang::DeclRefExpr* e) override {
    found |= e->getDecl() == pointer_ || e->getDecl()->getNameAsString().find("err") != std::string::npos;
    return !found;
  }
  bool found = false;

 private:
  const clang::VarDecl* pointer_;
};

// Behind "if (error)": such a program is about to end.
bool isOfError(const Unit& unit, const clang::ReturnStmt* r, const clang::VarDecl* pointer) {
  if (r->getBeginLoc().isMacroID()) return true;
  auto node = clang::DynTypedNode::create<clang::Stmt>(*r);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return false;
    node = parents[0];
    auto* branch = node.get<clang::IfStmt>();
    if (!branch) continue;
    AsksForErrors asks(pointer);
    asks.TraverseStmt(const_cast<clang::Expr*>(branch->getCond()));
    if (asks.found) return true;
  }
}

class Resets : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto name = calleeName(*call);
    found |= name == "cudaDeviceReset" || name == "cudaThreadExit" || name == "exit" || name == "abort";
    return !found;
  }
  bool found = false;
};

void lookAt(const Unit& unit, const clang::FunctionDecl& f, const RulePage& page, Findings& findings) {
  Allocations all;
  Makers makers(all);
  makers.TraverseStmt(f.getBody());
  if (all.empty()) return;
  Mentions(unit, all).TraverseStmt(f.getBody());
  Resets resets;
  resets.TraverseStmt(f.getBody());
  for (auto& [v, a] : all) {
    auto made = offsetOf(unit, a.made->getBeginLoc());
    if (a.escapes || !made) continue;
    Site site;
    site.function = &f;
    site.range = a.made->getSourceRange();
    if (a.frees.empty()) {
      if (resets.found) continue;
      site.message = v->getNameAsString() + " is never freed: each call of " + f.getNameAsString() +
                     " leaves less device memory";
      findings.add(page, std::move(site));
      continue;
    }
    auto freed = offsetOf(unit, a.frees[0]->getBeginLoc());
    for (auto* r : makers.returns) {
      auto at = offsetOf(unit, r->getBeginLoc());
      if (!freed || !at || *at < *made || *at > *freed || isOfError(unit, r, v)) continue;
      site.range = r->getSourceRange();
      site.message = v->getNameAsString() + " is not freed on this way out of " + f.getNameAsString();
      site.related.push_back(placeOf(unit, a.made->getSourceRange()));
      site.related.back().note = "the allocation";
      findings.add(page, std::move(site));
      break;
    }
  }
}

}  // namespace

void leakedAllocation(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  // What could not be read may free it, or hand it on.
  for (auto* f : analyses.hostFunctions())
    if (!f->isMain() && !hasErrors(unit, f->getBody()->getSourceRange())) lookAt(unit, *f, page, findings);
}

}  // namespace kadvise::source

#include "analyzer/source/memory_rules.h"

#include "analyzer/source/addresses.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/one_thread.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostBytes = 1024;

class LocalArrays : public Visitor {
 public:
  explicit LocalArrays(const Unit& unit) : unit_(unit) {}
  bool VisitVarDecl(clang::VarDecl* v) override {
    bool isShared = v->hasAttr<clang::CUDASharedAttr>();
    if (v->hasLocalStorage() && v->getType()->isConstantArrayType() && !isShared) found.push_back(v);
    return true;
  }
  std::vector<const clang::VarDecl*> found;

  // The statement that declares it.
  const clang::Stmt* statementOf(const clang::VarDecl& v) const {
    auto parents = unit_.context.getParents(v);
    return parents.empty() ? nullptr : parents[0].get<clang::Stmt>();
  }

 private:
  const Unit& unit_;
};

// Fragments of the tensor cores' interface are registers, and cannot be anything else.
bool isOfFragments(const Unit& unit, const clang::VarDecl& v) {
  auto* record = unit.context.getBaseElementType(v.getType())->getAsRecordDecl();
  return record && record->getIdentifier() && record->getName() == "fragment";
}

// "new", but in memory that is there already, and malloc.
class Allocations : public Visitor {
 public:
  bool VisitExpr(clang::Expr* e) override {
    auto* made = llvm::dyn_cast<clang::CXXNewExpr>(e);
    if (made && made->getNumPlacementArgs() == 0) found.push_back(e);
    return true;
  }
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = call->getDirectCallee();
    auto name = f ? f->getQualifiedNameAsString() : std::string();
    if (name == "malloc" || name == "std::malloc") found.push_back(call);
    return true;
  }
  std::vector<const clang::Expr*> found;
};

class Constructions : public Visitor {
 public:
  explicit Constructions(const clang::FunctionDecl& f) : wanted_(asWritten(&f)->getCanonicalDecl()) {}
  bool VisitCXXConstructExpr(clang::CXXConstructExpr* made) override {
    isFound |= asWritten(made->getConstructor())->getCanonicalDecl() == wanted_;
    return !isFound;
  }
  bool isFound = false;

 private:
  const clang::FunctionDecl* wanted_;
};

// Whether device code of this file makes an object by the constructor.
bool isMadeIn(const Unit& unit, const clang::FunctionDecl& constructor) {
  Constructions constructions(constructor);
  for (auto* f : unit.deviceFunctions)
    if (f->getBody()) constructions.TraverseStmt(f->getBody());
  return constructions.isFound;
}

}  // namespace

void deviceHeap(Analyses& analyses, const RulePage& page, Findings& findings) {
  for (auto* f : analyses.unit().deviceFunctions) {
    if (llvm::isa<clang::CXXConstructorDecl>(f) && !isMadeIn(analyses.unit(), *f))
      continue;  // by how many threads?
    Allocations allocations;
    allocations.TraverseStmt(f->getBody());
    for (auto* e : allocations.found) {
      if (isOfOneThread(analyses, *f, e)) continue;  // nobody else comes to the lock
      Site site;
      site.range = e->getSourceRange();
      site.function = f;
      site.message = page.message;
      findings.add(page, std::move(site));
    }
  }
}

void largeLocalArray(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : unit.deviceFunctions) {
    LocalArrays arrays(unit);
    arrays.TraverseStmt(f->getBody());
    for (auto* v : arrays.found) {
      if (v->getType()->isDependentType() || isOfFragments(unit, *v)) continue;
      std::int64_t bytes = bytesOf(unit, v->getType());
      if (bytes <= kMostBytes) continue;
      auto* statement = arrays.statementOf(*v);
      if (statement && isOfOneThread(analyses, *f, statement)) continue;
      Site site;
      site.range = v->getSourceRange();
      site.function = f;
      site.message = v->getNameAsString() + " takes " + std::to_string(bytes) +
                     " bytes of each thread, which do not fit into registers beside everything else";
      site.price = localPrice(unit, bytes);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source

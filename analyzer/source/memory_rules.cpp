#include "analyzer/source/memory_rules.h"

#include "analyzer/source/addresses.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kMostBytes = 256;

class LocalArrays : public Visitor {
 public:
  bool VisitVarDecl(clang::VarDecl* v) override {
    bool isShared = v->hasAttr<clang::CUDASharedAttr>();
    if (v->hasLocalStorage() && v->getType()->isConstantArrayType() && !isShared) found.push_back(v);
    return true;
  }
  std::vector<const clang::VarDecl*> found;
};

}  // namespace

void largeLocalArray(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* f : unit.deviceFunctions) {
    LocalArrays arrays;
    arrays.TraverseStmt(f->getBody());
    for (auto* v : arrays.found) {
      if (v->getType()->isDependentType()) continue;
      std::int64_t bytes = bytesOf(unit, v->getType());
      if (bytes <= kMostBytes) continue;
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

#include "analyzer/source/restrict_fix.h"

#include "analyzer/source/place.h"
#include "analyzer/source/same_memory.h"

namespace kadvise::source {
namespace {

// The promise holds where both are only read.
bool isOnlyRead(const clang::ParmVarDecl& p) { return p.getType()->getPointeeType().isConstQualified(); }

bool isPromiseBroken(Analyses& analyses, const clang::FunctionDecl& kernel) {
  std::vector<const clang::ParmVarDecl*> pointers;
  for (auto* p : kernel.parameters())
    if (p->getType()->isPointerType()) pointers.push_back(p);
  for (auto* a : pointers)
    for (auto* b : pointers)
      if (a->getFunctionScopeIndex() < b->getFunctionScopeIndex() &&
          mayBreakPromise(analyses, kernel, *a, *b))
        return true;
  return false;
}

}  // namespace

bool mayBreakPromise(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::ParmVarDecl& a,
                     const clang::ParmVarDecl& b) {
  if (isOnlyRead(a) && isOnlyRead(b)) return false;
  return areOneMemory(analyses, kernel, static_cast<int>(a.getFunctionScopeIndex()),
                      static_cast<int>(b.getFunctionScopeIndex()));
}

std::vector<Fix> restricting(Analyses& analyses, const clang::FunctionDecl& kernel) {
  auto& unit = analyses.unit();
  if (isPromiseBroken(analyses, kernel)) return {};
  std::vector<Edit> edits;
  for (auto* p : kernel.parameters()) {
    if (!p->getType()->isPointerType() || p->getType().isRestrictQualified() || !p->getIdentifier()) continue;
    bool takesNoWord = p->getOriginalType()->isArrayType();  // "float x[]" has no place for it
    if (takesNoWord || p->getType()->getPointeeType()->isFunctionType()) return {};
    auto edit = editOf(unit, clang::CharSourceRange::getCharRange(p->getLocation(), p->getLocation()),
                       "__restrict__ ");
    if (!edit) return {};
    edits.push_back(*edit);
  }
  if (edits.empty()) return {};
  return {{"promise with __restrict__ that the pointers of this kernel lie apart", Safety::Unsafe, edits}};
}

}  // namespace kadvise::source

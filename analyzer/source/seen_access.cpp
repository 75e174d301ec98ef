#include "analyzer/source/seen_access.h"

#include <cstdlib>

#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr int kFewestLanes = 16;  // of a warp that few lanes take part in little is lost
constexpr int kWastedFactor = 4;  // complex numbers and pairs, both halves of which are read, waste less

class ThreadIndices : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    found |= index && index->kind == BuiltinIndex::Kind::Thread;
    return !found;
  }
  bool found = false;
};

bool asksForThread(const clang::FunctionDecl& f) {
  ThreadIndices visitor;
  visitor.TraverseStmt(f.getBody());
  return visitor.found;
}

}  // namespace

std::vector<WarpAccess> accessesIn(Analyses& analyses, const clang::FunctionDecl& kernel, Space space) {
  std::vector<WarpAccess> out;
  for (auto& w : analyses.warpAccessesOf(kernel))
    if (w.space == space && w.lanes >= kFewestLanes) out.push_back(w);
  return out;
}

std::string distanceOf(const WarpAccess& w) {
  std::string bytes = std::to_string(std::llabs(w.apart)) + " bytes apart";
  return w.isMadeUp ? "a stride apart that is not constant" : bytes;
}

std::string lanesOf(const WarpAccess& w) {
  return "lanes " + std::to_string(w.shown[0]) + " and " + std::to_string(w.shown[1]);
}

bool isWasteful(const WarpAccess& w) { return w.sectors >= kWastedFactor * w.fewestSectors; }

Site siteOf(const Unit& unit, const WarpAccess& seen, const clang::FunctionDecl& kernel,
            std::string message) {
  Site site;
  site.range = seen.access.lvalue->getSourceRange();
  site.function = seen.path.function ? seen.path.function : &kernel;
  site.message = std::move(message);
  if (seen.path.calls.empty()) return site;
  auto* outer = seen.path.calls.front();
  Location other = placeOf(unit, site.range);
  other.note = "the access, in " + seen.path.function->getNameAsString();
  if (asksForThread(*seen.path.function)) {
    other = placeOf(unit, outer->getSourceRange());
    other.note = "called here, in " + kernel.getNameAsString();
  } else {
    site.range = outer->getSourceRange(), site.function = &kernel;
  }
  site.related.push_back(std::move(other));
  return site;
}

bool isFieldOfVector(const Unit& unit, const Access& access) {
  auto* member = llvm::dyn_cast<clang::MemberExpr>(access.lvalue->IgnoreParens());
  auto* field = member ? llvm::dyn_cast<clang::FieldDecl>(member->getMemberDecl()) : nullptr;
  if (!field || field->getParent()->isDependentContext() || field->getParent()->isInvalidDecl()) return false;
  auto aligned = unit.context.getTypeAlignInChars(unit.context.getRecordType(field->getParent()));
  return aligned.getQuantity() > access.bytes;
}

}  // namespace kadvise::source

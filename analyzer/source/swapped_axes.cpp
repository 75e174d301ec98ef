#include "analyzer/source/swapped_axes.h"

#include <algorithm>

#include "analyzer/source/device_code.h"
#include "analyzer/source/place.h"
#include "analyzer/source/seen_access.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

class Mentions : public Visitor {
 public:
  bool VisitPseudoObjectExpr(clang::PseudoObjectExpr* e) override {
    auto index = builtinIndexOf(e);
    if (index && index->kind == BuiltinIndex::Kind::Thread && index->axis < 2) threads.push_back(e);
    return true;
  }
  // What lanes do together would be done by others.
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = calleeOf(call);
    if (f && f->getIdentifier()) {
      llvm::StringRef name = f->getName();
      isAmongLanes |= name.contains("_sync") || name.contains("shfl") || name.contains("partition");
    }
    return true;
  }
  std::vector<const clang::PseudoObjectExpr*> threads;
  bool isAmongLanes = false;
};

// Threads of a square block that change their places compute the same all together.
std::vector<Fix> exchanged(const Unit& unit, const clang::FunctionDecl& kernel) {
  Mentions mentions;
  mentions.TraverseStmt(kernel.getBody());
  std::vector<Edit> edits;
  for (auto* e : mentions.threads) {
    std::string text = textOf(unit, e->getSourceRange());
    bool isX = text == "threadIdx.x";
    if (!isX && text != "threadIdx.y") return {};
    auto edit = editOf(unit, clang::CharSourceRange::getTokenRange(e->getSourceRange()),
                       isX ? "threadIdx.y" : "threadIdx.x");
    if (!edit) return {};
    edits.push_back(*edit);
  }
  if (edits.empty() || mentions.isAmongLanes) return {};
  return {{"exchange threadIdx.x and threadIdx.y", Safety::Unsafe, edits}};
}

}  // namespace

Swap swapOf(Analyses& analyses, const clang::FunctionDecl& kernel, const std::vector<WarpAccess>& asItIs) {
  auto& unit = analyses.unit();
  auto samples = samplesFor(unit, kernel, analyses.launches());
  bool isFlat = std::any_of(samples.begin(), samples.end(), [](auto& s) { return s.block[1] < 2; });
  if (isFlat) return {};
  bool isSquare = std::all_of(samples.begin(), samples.end(),
                              [](auto& s) { return s.block[0] == s.block[1] && s.block[2] == 1; });
  // What a call leads to, or an index that is not followed, may be the side that is right as it is.
  auto& known = analyses.warpAccessesOf(kernel);
  for (auto& access : accessesOf(unit, kernel))
    if (std::none_of(known.begin(), known.end(), [&](auto& w) { return w.access.lvalue == access.lvalue; }))
      return {};
  for (auto& s : samples) s.isSwapped = true;
  for (auto& w : asItIs) {
    auto other = warpAccessInAll(unit, analyses.coursesOf(kernel), samples, w.path, w.access);
    if (!other || isWasteful(*other)) return {};
  }
  return {true, isSquare ? exchanged(unit, kernel) : std::vector<Fix>{}};
}

}  // namespace kadvise::source

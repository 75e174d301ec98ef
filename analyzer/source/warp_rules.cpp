#include "analyzer/source/warp_rules.h"

#include "analyzer/source/addresses.h"
#include "analyzer/source/block_run.h"
#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kWholeWarp = 0xffffffff;
constexpr std::size_t kManyLanes = 16, kLanes = 32;

class Calls : public Visitor {
 public:
  bool VisitCallExpr(clang::CallExpr* c) override {
    if (calleeOf(c) && calleeOf(c)->getIdentifier()) found.push_back(c);
    return true;
  }
  std::vector<const clang::CallExpr*> found;
};

std::vector<const clang::CallExpr*> callsIn(const clang::FunctionDecl& f) {
  Calls calls;
  calls.TraverseStmt(f.getBody());
  return calls.found;
}

bool takesWholeWarp(const Unit& unit, const clang::CallExpr& call) {
  llvm::StringRef name = calleeOf(&call)->getName();
  if (!name.starts_with("__") || !name.ends_with("_sync") || call.getNumArgs() == 0) return false;
  auto mask = constantOf(unit, call.getArg(0)->IgnoreParenImpCasts());
  return mask && (*mask & kWholeWarp) == kWholeWarp;
}

// Where the lanes of the first warp part, in some sample.
const Guard* partsWarp(Analyses& analyses, const clang::FunctionDecl& kernel,
                       const std::vector<Guard>& guards) {
  for (auto sample : samplesFor(analyses.unit(), kernel, analyses.launches())) {
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    for (auto& g : guards)
      if (agreementOn(threads, g.condition, Among::Warp) == Agreement::Differs) return &g;
  }
  return nullptr;
}

// How many lanes of the first warp write to one and the same place.
std::size_t lanesAtOnePlace(Threads& threads, const clang::Expr* pointer, const std::vector<Guard>& guards) {
  auto warp = threadsOf(threads.sample());
  if (warp.size() > kLanes) warp.resize(kLanes);
  // A condition on what was loaded, or on a group's rank, may leave one lane alone.
  for (auto& g : guards)
    for (auto& t : warp)
      if (!threads.valueOf(g.condition, t)) return 0;
  auto active = activeAmong(threads, warp, guards);
  std::optional<Address> first;
  for (auto& t : active) {
    auto at = pointerOf(threads, pointer, t);
    bool isSame = at && at->space == Space::Global && (!first || at->offset == first->offset);
    if (!isSame) return 0;
    first = at;
  }
  return active.size();
}

// In functions that are called, and of tiles.
void addPartings(Analyses& analyses, const clang::FunctionDecl& kernel, const RulePage& page,
                 Findings& findings) {
  auto& unit = analyses.unit();
  for (auto& run : analyses.runsOf(kernel))
    for (auto& p : run.partings) {
      if (!p.isOfWarp || !p.condition) continue;
      Site site;
      site.range = (p.outermost ? p.outermost : p.barrier)->getSourceRange();
      site.function = &kernel;
      site.message = "this waits for all lanes of a warp or tile, and lanes part at `" +
                     brief(textOf(unit, p.condition->getSourceRange())) + "`";
      site.related.push_back(placeOf(unit, p.condition->getSourceRange()));
      site.related.back().note = "where the lanes part";
      findings.add(page, std::move(site));
    }
}

// Of whole numbers whose old value nobody wants, compilers for compute capability 8 and later make one update
// a warp.
bool isJoinedByCompiler(const Unit& unit, const clang::CallExpr& call) {
  auto parents = unit.context.getParents(call);
  bool isDropped = !parents.empty() && !parents[0].get<clang::Expr>() && !parents[0].get<clang::Decl>();
  return isDropped && call.getType()->isIntegerType() && unit.context.getTypeSize(call.getType()) == 32;
}

}  // namespace

void fullMaskInBranch(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    for (auto* call : callsIn(*kernel)) {
      if (!takesWholeWarp(unit, *call)) continue;
      auto guards = guardsOf(unit, call);
      auto* g = partsWarp(analyses, *kernel, guards);
      if (!g) continue;
      Site site;
      site.range = call->getSourceRange();
      site.function = kernel;
      site.message = calleeOf(call)->getNameAsString() + " waits for all 32 lanes, and lanes part at `" +
                     brief(textOf(unit, g->condition->getSourceRange())) + "`";
      site.related.push_back(placeOf(unit, g->condition->getSourceRange()));
      site.related.back().note = "where the lanes part";
      findings.add(page, std::move(site));
    }
    addPartings(analyses, *kernel, page, findings);
  }
}

void uniformAtomic(Analyses& analyses, const RulePage& page, Findings& findings) {
  auto& unit = analyses.unit();
  for (auto* kernel : unit.deviceFunctions) {
    if (!isKernel(*kernel)) continue;
    auto samples = samplesFor(unit, *kernel, analyses.launches());
    for (auto* call : callsIn(*kernel)) {
      if (!isCallOf(call, {"atomicAdd", "atomicMax", "atomicMin", "gpuAtomicAdd"}) || call->getNumArgs() < 2)
        continue;
      if (isJoinedByCompiler(unit, *call)) continue;
      auto guards = guardsWithExits(unit, call);
      std::size_t lanes = kLanes;
      for (auto& sample : samples) {
        Threads threads(unit, analyses.coursesOf(*kernel), sample);
        lanes = std::min(lanes, lanesAtOnePlace(threads, call->getArg(0), guards));
      }
      if (lanes < kManyLanes) continue;
      Site site;
      site.range = call->getSourceRange();
      site.function = kernel;
      site.message =
          std::to_string(lanes) +
          " lanes of each warp update one place: add up in the warp or block first, and update once";
      site.price = atomicPrice(lanes);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source

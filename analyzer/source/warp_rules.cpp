#include "analyzer/source/warp_rules.h"

#include <algorithm>

#include "analyzer/source/addresses.h"
#include "analyzer/source/block_run.h"
#include "analyzer/source/control.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/divided_places.h"
#include "analyzer/source/one_thread.h"
#include "analyzer/source/page_edit.h"
#include "analyzer/source/place.h"
#include "analyzer/source/prices.h"
#include "analyzer/source/returned_lanes.h"
#include "analyzer/source/roots.h"
#include "analyzer/source/size_multiples.h"
#include "analyzer/source/visitor.h"

namespace kadvise::source {
namespace {

constexpr std::int64_t kWholeWarp = 0xffffffff;
constexpr std::size_t kManyLanes = 16, kLanes = 32;
constexpr Thread kFarAway = {1 << 24, 0, 0};

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
    // By a mask of a whole warp its lanes are meant to lie in one row.
    if (sample.block[0] < static_cast<int>(kLanes) && analyses.launchesOf(kernel).empty()) continue;
    Threads threads(analyses.unit(), analyses.coursesOf(kernel), sample);
    for (auto& g : guards)
      if (agreementOn(threads, g.condition, Among::Warp) == Agreement::Differs &&
          !partsBetweenWarps(analyses, kernel, g.condition))
        return &g;
  }
  return nullptr;
}

// How many lanes of the first warp write to one and the same place.
std::size_t lanesAtOnePlace(Threads& threads, const clang::Expr* pointer, const std::vector<Guard>& guards) {
  auto warp = threadsOf(threads.sample());
  if (warp.size() > kLanes) warp.resize(kLanes);
  for (auto& g : guards)
    if (mayLeaveOne(threads, warp, g)) return 0;
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

// Calls that could wait, or lead to something that does.
class Waits : public Visitor {
 public:
  explicit Waits(const Unit& unit) : unit_(unit) {}
  bool VisitCallExpr(clang::CallExpr* call) override {
    auto* f = calleeOf(call);
    if (!f || f->getBuiltinID() != 0) return true;
    if (f->hasBody() || isBlockBarrier(call) || f->getName().ends_with("_sync") ||
        isCallOf(call, {"__syncwarp"}))
      last = std::max(last, offsetOf(unit_, call->getBeginLoc()).value_or(0u));
    return true;
  }
  unsigned last = 0;

 private:
  const Unit& unit_;
};

// A vote, or a __syncwarp, in a loop that lanes leave for the end of the kernel: who has ended is not waited
// for. What is read from such a lane would be undefined, so shuffles are another matter.
bool endsBehindLoop(const Unit& unit, const clang::FunctionDecl& kernel, const clang::Expr* wait,
                    const clang::Expr* condition) {
  auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(wait);
  if (!call || !isCallOf(call, {"__syncwarp", "__any_sync", "__all_sync", "__ballot_sync"})) return false;
  for (auto& loop : loopsAround(unit, wait)) {
    auto* f = llvm::dyn_cast<clang::ForStmt>(loop.whole);
    if (!f || f->getCond() != condition) continue;
    Waits waits(unit);
    waits.TraverseStmt(kernel.getBody());
    auto end = offsetOf(unit, f->getEndLoc());
    return end && waits.last < *end;
  }
  return false;
}

const clang::IfStmt* branchOn(const Unit& unit, const clang::Stmt* inner, const clang::Expr* condition) {
  auto node = clang::DynTypedNode::create(*inner);
  while (true) {
    auto parents = unit.context.getParents(node);
    if (parents.empty() || parents[0].get<clang::FunctionDecl>()) return nullptr;
    node = parents[0];
    if (auto* branch = node.get<clang::IfStmt>(); branch && branch->getCond() == condition) return branch;
  }
}

// The branch is the last that the kernel does, and lanes that do not take it have ended: nobody waits for
// them. wait: the primitive, at: where the kernel comes to it. What a shuffle reads has to be of lanes that
// take the branch.
bool isForLanesThatStay(Analyses& analyses, const clang::FunctionDecl& kernel, const clang::Expr* wait,
                        const clang::Expr* at, const clang::Expr* condition) {
  auto& unit = analyses.unit();
  auto* branch = branchOn(unit, at, condition);
  auto* call = llvm::dyn_cast_or_null<clang::CallExpr>(wait);
  if (!branch || !call || branch->getElse() || !loopsAround(unit, branch).empty()) return false;
  Waits waits(unit);
  waits.TraverseStmt(kernel.getBody());
  auto end = offsetOf(unit, branch->getEndLoc());
  if (!end || waits.last >= *end) return false;
  return isCallOf(call, {"__syncwarp", "__any_sync", "__all_sync", "__ballot_sync"})
             ? isBoundsCheck(analyses, kernel, condition)
             : readsLanesAlike(analyses, kernel, *call, condition);
}

// In functions that are called, and of tiles.
void addPartings(Analyses& analyses, const clang::FunctionDecl& kernel, const RulePage& page,
                 Findings& findings) {
  auto& unit = analyses.unit();
  for (auto& run : analyses.runsOf(kernel))
    for (auto& p : run.partings) {
      if (!p.isOfWarp || !p.condition || endsBehindLoop(unit, kernel, p.barrier, p.condition)) continue;
      if (!offsetOf(unit, p.condition->getBeginLoc())) continue;
      if (partsBetweenWarps(analyses, kernel, p.condition)) continue;
      auto* at = p.outermost ? p.outermost : p.barrier;
      if (isForLanesThatStay(analyses, kernel, p.barrier, at, p.condition)) continue;
      Site site;
      site.range = at->getSourceRange();
      site.function = &kernel;
      site.message = "this waits for all lanes of a warp or tile, and lanes part at `" +
                     brief(textOf(unit, p.condition->getSourceRange())) + "`";
      site.related.push_back(placeOf(unit, p.condition->getSourceRange()));
      site.related.back().note = "where the lanes part";
      findings.add(page, std::move(site));
    }
}

// Around "for (n = first(lane); n < last(lane); …)" each lane has turns of its own, perhaps none: how many
// lanes are in the loop at once is not known.
bool hasTurnsOfItsOwn(Threads& threads, const Unit& unit, const clang::CallExpr& call) {
  for (auto& loop : loopsAround(unit, &call)) {
    auto* f = llvm::dyn_cast<clang::ForStmt>(loop.whole);
    auto* ends = f ? llvm::dyn_cast_or_null<clang::BinaryOperator>(f->getCond()) : nullptr;
    if (!ends || !ends->isRelationalOp()) continue;
    auto here = threads.valueOf(ends->getRHS(), {0, 0, 0}), far = threads.valueOf(ends->getRHS(), kFarAway);
    if (here && far && here->number != far->number) return true;
  }
  return false;
}

// Of whole numbers whose old value nobody wants, compilers for compute capability 8 and later make one update
// a warp.
bool isJoinedByCompiler(const Unit& unit, const clang::CallExpr& call) {
  auto parents = unit.context.getParents(call);
  bool isDropped = !parents.empty() && !parents[0].get<clang::Expr>() && !parents[0].get<clang::Decl>();
  return isDropped && call.getType()->isIntegerType() && unit.context.getTypeSize(call.getType()) == 32;
}

// "atomicMin(float*, float)" of the source's own: mostly a loop that updates only where the value is less.
bool isWritten(const Unit& unit, const clang::CallExpr& call) {
  auto* f = calleeOf(&call);
  return f && f->hasBody() && unit.sources.isInMainFile(unit.sources.getExpansionLoc(f->getLocation()));
}

bool readsNothing(const Unit& unit, const clang::FunctionDecl& kernel) {
  auto accesses = accessesOf(unit, kernel);
  return std::none_of(accesses.begin(), accesses.end(), [](auto& a) { return !a.isWrite; });
}

// "for (i = thread; i < n; i += threads) atomicAdd(x, 1.f)": what a kernel does that reads nothing is measure
// the updates.
bool isOnlyCounted(const Unit& unit, const clang::CallExpr& call) {
  auto guards = guardsOf(unit, &call);
  auto* value = call.getArg(1);
  return !value->isValueDependent() && value->isEvaluatable(unit.context) &&
         std::all_of(guards.begin(), guards.end(), [](auto& g) { return g.isLoop; });
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
      auto* left = g ? nullptr : readsReturned(analyses, *kernel, *call);
      if (!g && !left) continue;
      if (g && endsBehindLoop(unit, *kernel, call, g->condition)) continue;
      if (g && isForLanesThatStay(analyses, *kernel, call, call, g->condition)) continue;
      auto* condition = g ? g->condition : left;
      std::string text = "`" + brief(textOf(unit, condition->getSourceRange())) + "`";
      Site site;
      site.range = call->getSourceRange();
      site.function = kernel;
      std::string name = calleeOf(call)->getNameAsString();
      site.message =
          g ? name + " waits for all 32 lanes, and lanes part at " + text
            : name + " reads from lanes that have returned, where " + text + " holds for a part of the warp";
      site.related.push_back(placeOf(unit, condition->getSourceRange()));
      site.related.back().note = g ? "where the lanes part" : "where lanes return";
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
    bool measures = readsNothing(unit, *kernel);
    for (auto* call : callsIn(*kernel)) {
      if (!isCallOf(call, {"atomicAdd", "atomicMax", "atomicMin", "gpuAtomicAdd"}) || call->getNumArgs() < 2)
        continue;
      if (isWritten(unit, *call) || isJoinedByCompiler(unit, *call)) continue;
      if (measures && isOnlyCounted(unit, *call)) continue;
      auto guards = guardsWithExits(unit, call);
      std::size_t lanes = kLanes;
      for (auto& sample : samples) {
        Threads threads(unit, analyses.coursesOf(*kernel), sample);
        lanes = hasTurnsOfItsOwn(threads, unit, *call)
                    ? 0
                    : std::min(lanes, lanesAtOnePlace(threads, call->getArg(0), guards));
      }
      if (lanes < kManyLanes || isOfDividedPlace(unit, analyses.coursesOf(*kernel), *call->getArg(0)))
        continue;
      Site site;
      site.range = call->getSourceRange();
      site.function = kernel;
      site.message = std::to_string(lanes) +
                     " lanes of each warp update one place: combine their values in the warp or block first, "
                     "and update once";
      site.price = atomicPrice(lanes);
      findings.add(page, std::move(site));
    }
  }
}

}  // namespace kadvise::source

#include "analyzer/source/coded_rule.h"

#include "analyzer/source/access_rules.h"
#include "analyzer/source/alias_rules.h"
#include "analyzer/source/arithmetic_rules.h"
#include "analyzer/source/barrier_rules.h"
#include "analyzer/source/bounds_rules.h"
#include "analyzer/source/call_check_rules.h"
#include "analyzer/source/grid_rules.h"
#include "analyzer/source/host_memory_rules.h"
#include "analyzer/source/launch_check_rules.h"
#include "analyzer/source/launch_rules.h"
#include "analyzer/source/leak_rules.h"
#include "analyzer/source/local_rules.h"
#include "analyzer/source/memory_rules.h"
#include "analyzer/source/occupancy_rules.h"
#include "analyzer/source/overrun_rule.h"
#include "analyzer/source/race_rules.h"
#include "analyzer/source/tensor_rules.h"
#include "analyzer/source/tile_rules.h"
#include "analyzer/source/torch_rules.h"
#include "analyzer/source/vector_rules.h"
#include "analyzer/source/warp_literal_rule.h"
#include "analyzer/source/warp_rules.h"
#include "analyzer/source/widened_late.h"

namespace kadvise::source {
namespace {

struct Entry {
  const char* function;
  CodedRule rule;
};
constexpr Entry kRules[] = {
    {"array-of-structures", arrayOfStructures},
    {"bank-conflict", bankConflict},
    {"barrier-divergent", barrierDivergent},
    {"block-too-large", blockTooLarge},
    {"calls-never-checked", callsNeverChecked},
    {"copied-parameter", copiedParameter},
    {"copy-through-registers", copyThroughRegisters},
    {"device-heap", deviceHeap},
    {"dispatch-without-half", dispatchWithoutHalf},
    {"divergent-constant", divergentConstant},
    {"dynamic-local-array", dynamicLocalArray},
    {"empty-launch", emptyLaunch},
    {"empty-then-accumulate", emptyThenAccumulate},
    {"fixed-grid", fixedGrid},
    {"full-mask-in-branch", fullMaskInBranch},
    {"grid-too-large", gridTooLarge},
    {"invariant-access", invariantAccess},
    {"large-local-array", largeLocalArray},
    {"launch-bounds-violated", launchBoundsViolated},
    {"launch-in-loop", launchInLoop},
    {"leaked-allocation", leakedAllocation},
    {"loop-over-slices", loopOverSlices},
    {"mask-index-in-loop", maskIndexInLoop},
    {"missing-barrier", missingBarrier},
    {"missing-barrier-in-loop", missingBarrierInLoop},
    {"missing-device-guard", missingDeviceGuard},
    {"missing-launch-bounds", missingLaunchBounds},
    {"nondeterministic-atomic", nondeterministicAtomic},
    {"pageable-copy", pageableCopy},
    {"partial-warp", partialWarp},
    {"pointwise-chain", pointwiseChain},
    {"redundant-barrier", redundantBarrier},
    {"redundant-copy", redundantCopy},
    {"return-before-barrier", returnBeforeBarrier},
    {"rounded-down-grid", roundedDownGrid},
    {"runtime-division", runtimeDivision},
    {"same-element-written", sameElementWritten},
    {"shared-array-too-short", sharedArrayTooShort},
    {"shared-memory-limits-occupancy", sharedMemoryLimitsOccupancy},
    {"shared-memory-not-requested", sharedMemoryNotRequested},
    {"single-buffered-tile", singleBufferedTile},
    {"unchecked-call", uncheckedCall},
    {"unchecked-data-pointer", uncheckedDataPointer},
    {"unchecked-launch", uncheckedLaunch},
    {"uncoalesced-access", uncoalescedAccess},
    {"unguarded-index", unguardedIndex},
    {"uniform-atomic", uniformAtomic},
    {"unrestricted-pointer", unrestrictedPointer},
    {"vectorizable-access", vectorizableAccess},
    {"warp-size-literal", warpSizeLiteral},
    {"widened-late", widenedLate},
};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& entry : kRules)
    if (function == entry.function) return entry.rule;
  return nullptr;
}

}  // namespace kadvise::source

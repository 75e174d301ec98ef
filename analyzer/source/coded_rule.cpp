#include "analyzer/source/coded_rule.h"

#include "analyzer/source/access_rules.h"
#include "analyzer/source/alias_rules.h"
#include "analyzer/source/barrier_rules.h"
#include "analyzer/source/launch_rules.h"
#include "analyzer/source/local_rules.h"
#include "analyzer/source/memory_rules.h"
#include "analyzer/source/tile_rules.h"
#include "analyzer/source/vector_rules.h"
#include "analyzer/source/warp_rules.h"

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
    {"copied-parameter", copiedParameter},
    {"copy-through-registers", copyThroughRegisters},
    {"divergent-constant", divergentConstant},
    {"dynamic-local-array", dynamicLocalArray},
    {"full-mask-in-branch", fullMaskInBranch},
    {"invariant-access", invariantAccess},
    {"large-local-array", largeLocalArray},
    {"launch-bounds-violated", launchBoundsViolated},
    {"partial-warp", partialWarp},
    {"return-before-barrier", returnBeforeBarrier},
    {"rounded-down-grid", roundedDownGrid},
    {"shared-memory-not-requested", sharedMemoryNotRequested},
    {"single-buffered-tile", singleBufferedTile},
    {"uncoalesced-access", uncoalescedAccess},
    {"uniform-atomic", uniformAtomic},
    {"unrestricted-pointer", unrestrictedPointer},
    {"vectorizable-access", vectorizableAccess},
};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& entry : kRules)
    if (function == entry.function) return entry.rule;
  return nullptr;
}

}  // namespace kadvise::source

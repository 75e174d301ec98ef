#include "analyzer/source/coded_rule.h"

#include "analyzer/source/access_rules.h"
#include "analyzer/source/arithmetic_rules.h"
#include "analyzer/source/barrier_rules.h"
#include "analyzer/source/launch_rules.h"
#include "analyzer/source/memory_rules.h"
#include "analyzer/source/race_rules.h"
#include "analyzer/source/warp_rules.h"

namespace kadvise::source {
namespace {

struct Entry {
  const char* function;
  CodedRule rule;
};
constexpr Entry kRules[] = {
    {"bank-conflict", bankConflict},
    {"barrier-divergent", barrierDivergent},
    {"block-too-large", blockTooLarge},
    {"full-mask-in-branch", fullMaskInBranch},
    {"large-local-array", largeLocalArray},
    {"launch-bounds-violated", launchBoundsViolated},
    {"missing-barrier", missingBarrier},
    {"missing-barrier-in-loop", missingBarrierInLoop},
    {"partial-warp", partialWarp},
    {"redundant-barrier", redundantBarrier},
    {"return-before-barrier", returnBeforeBarrier},
    {"rounded-down-grid", roundedDownGrid},
    {"runtime-division", runtimeDivision},
    {"same-element-written", sameElementWritten},
    {"shared-memory-not-requested", sharedMemoryNotRequested},
    {"uncoalesced-access", uncoalescedAccess},
    {"uniform-atomic", uniformAtomic},
};

}  // namespace

CodedRule codedRule(const std::string& function) {
  for (auto& entry : kRules)
    if (function == entry.function) return entry.rule;
  return nullptr;
}

}  // namespace kadvise::source

#include "analyzer/source/coded_rule.h"

#include "analyzer/source/access_rules.h"
#include "analyzer/source/barrier_rules.h"
#include "analyzer/source/launch_rules.h"
#include "analyzer/source/memory_rules.h"
#include "analyzer/source/tensor_rules.h"
#include "analyzer/source/torch_rules.h"
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
    {"dispatch-without-half", dispatchWithoutHalf},
    {"empty-then-accumulate", emptyThenAccumulate},
    {"full-mask-in-branch", fullMaskInBranch},
    {"large-local-array", largeLocalArray},
    {"launch-bounds-violated", launchBoundsViolated},
    {"loop-over-slices", loopOverSlices},
    {"mask-index-in-loop", maskIndexInLoop},
    {"missing-device-guard", missingDeviceGuard},
    {"nondeterministic-atomic", nondeterministicAtomic},
    {"partial-warp", partialWarp},
    {"pointwise-chain", pointwiseChain},
    {"redundant-copy", redundantCopy},
    {"return-before-barrier", returnBeforeBarrier},
    {"rounded-down-grid", roundedDownGrid},
    {"shared-memory-not-requested", sharedMemoryNotRequested},
    {"unchecked-data-pointer", uncheckedDataPointer},
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

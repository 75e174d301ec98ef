// In place of the kernel library's GraphRunner, for tests that have no GPU: it keeps to the same contract,
// and never captures anything.
#pragma once

namespace kadvise::graph::test {

inline constexpr const char* kStandInClass = "__torch__.torch.classes.kadvise_test.GraphRunner";

// How often any runner has run in this process.
int runnerCalls();

}  // namespace kadvise::graph::test

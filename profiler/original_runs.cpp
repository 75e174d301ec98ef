#include "profiler/original_runs.h"

#include "profiler/longest_sum.h"
#include "profiler/observed_run.h"
#include "profiler/other_draws.h"

namespace kadvise {

OutputJudge::Original originalRuns(torch::jit::Module& original, Float64Reference& reference,
                                   const Device& device, std::uint64_t seed,
                                   std::function<const Attributes&(const Case&)> stateOf) {
  OutputJudge::Original out;
  out.redraw = [&, seed, stateOf](const Case& c, int number) {
    return drawAgain(original, reference, device, seed, c, number, stateOf(c));
  };
  out.inTf32 = [&, seed, stateOf](const Case& c) {
    return outputInTf32(original, device, seed, c, stateOf(c));
  };
  out.longestSum = [&, seed, stateOf](const Case& c) {
    return longestSum(
        [&] { observedRun(original, cloneOf(c.inputs), device, seed, Canary::Fill::Nan, stateOf(c)); });
  };
  return out;
}

}  // namespace kadvise

// Which of its schedules a problem gets: what was timed before, what timing says now, or what the model says.
//
// Timing runs up to kMostCandidates on the call's own memory, whose outputs nobody has read yet, for about 25
// ms. It is for problems that move 1 MiB or more, once for each shape class (tuned_choices.h) and GPU, and
// not while a graph is captured. KADVISE_TUNE=0 switches it off, and forgets what was timed: the model then
// chooses everywhere.
#pragma once

#include "kernels/rowprogram/launch_plan.h"
#include "kernels/rowprogram/source_call.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace kadvise::rowprogram {

// Never null. Where nothing can be compiled, the plan leaves the problem to the interpreter, and `problem` is
// a sentence for the user; it stays empty where the generator just does not serve the problem.
std::shared_ptr<const LaunchPlan> makePlan(const Problem&, const Call&, std::string& problem);

// The same of a kernel for all pieces (joined.h); nothing is timed.
std::shared_ptr<const LaunchPlan> makeJoinedPlan(std::span<const Problem>, const Call&, std::string& problem);

// What makePlan() would have compiled, for those who compile ahead.
std::vector<Source> candidateSources(const Problem&, const Call&);

}  // namespace kadvise::rowprogram

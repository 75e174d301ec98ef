#include "analyzer/source/analyses.h"

#include "analyzer/source/block_run.h"

namespace kadvise::source {

const std::vector<LaunchSite>& Analyses::launches() {
  if (!launches_) launches_ = launchSitesOf(unit_);
  return *launches_;
}

const Courses& Analyses::coursesOf(const clang::FunctionDecl& f) {
  return courses_.try_emplace(&f, f).first->second;
}

const std::vector<WarpAccess>& Analyses::warpAccessesOf(const clang::FunctionDecl& kernel) {
  auto [known, isNew] = accesses_.try_emplace(&kernel);
  if (!isNew) return known->second;
  auto samples = samplesFor(unit_, kernel, launches());
  for (auto& access : accessesOf(unit_, kernel))
    if (auto warp = warpAccessInAll(unit_, coursesOf(kernel), samples, access))
      known->second.push_back(*warp);
  return known->second;
}

const std::vector<BlockRun>& Analyses::runsOf(const clang::FunctionDecl& kernel) {
  auto [known, isNew] = runs_.try_emplace(&kernel);
  if (isNew)
    known->second = std::make_shared<const std::vector<BlockRun>>(source::runsOf(unit_, kernel, launches()));
  return *known->second;
}

}  // namespace kadvise::source

#include "analyzer/source/analyses.h"

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
  for (auto& path : callPathsOf(unit_, kernel))
    for (auto& access : accessesOf(unit_, *path.function))
      if (auto warp = warpAccessInAll(unit_, coursesOf(kernel), samples, path, access))
        known->second.push_back(*warp);
  return known->second;
}

}  // namespace kadvise::source

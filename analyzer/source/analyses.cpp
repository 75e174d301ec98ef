#include "analyzer/source/analyses.h"

namespace kadvise::source {

const std::vector<LaunchSite>& Analyses::launches() {
  if (!launches_) launches_ = launchSitesOf(unit_);
  return *launches_;
}

const Courses& Analyses::coursesOf(const clang::FunctionDecl& f) {
  return courses_.try_emplace(&f, f).first->second;
}

}  // namespace kadvise::source

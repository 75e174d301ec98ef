#include "analyzer/source/analyses.h"

#include "analyzer/source/block_run.h"
#include "analyzer/source/device_code.h"
#include "analyzer/source/function_names.h"
#include "analyzer/source/host_functions.h"
#include "analyzer/source/launch_words.h"
#include "analyzer/source/place.h"

namespace kadvise::source {

const std::vector<LaunchSite>& Analyses::launches() {
  if (!launches_) launches_ = launchSitesOf(unit_);
  return *launches_;
}

const std::vector<KnownLaunch>& Analyses::launchesOf(const clang::FunctionDecl& kernel) {
  auto* written = asWritten(&kernel)->getCanonicalDecl();
  auto [known, isNew] = launchesOf_.try_emplace(written);
  if (isNew) known->second = findLaunchesOf(*written);
  return known->second;
}

std::vector<KnownLaunch> Analyses::findLaunchesOf(const clang::FunctionDecl& written) {
  std::vector<KnownLaunch> out;
  for (auto& site : launches()) {
    if (!site.kernel || site.kernel->getCanonicalDecl() != &written) continue;
    KnownLaunch k{&site, site.gridExtent, site.blockExtent, {}, site.constantSharedBytes, {}};
    for (int axis = 0; axis < 3; ++axis)
      k.isRoundedUp[static_cast<std::size_t>(axis)] = isRoundedUp(unit_, axisOf(unit_, site.grid, axis));
    k.where = placeOf(unit_, site.call->getSourceRange());
    out.push_back(std::move(k));
  }
  if (!unit_.surroundings) return out;
  FunctionName name = nameForOthers(unit_, written);
  for (auto& [file, launch] : unit_.surroundings->launches) {
    if (!isSame(launch.kernel, name)) continue;
    KnownLaunch k{nullptr, launch.grid, launch.block, launch.isRoundedUp, launch.sharedBytes, {}};
    k.where.file = file, k.where.line = launch.line, k.where.column = 1, k.where.scope = launch.caller;
    out.push_back(std::move(k));
  }
  return out;
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

const std::vector<BlockRun>& Analyses::runsOf(const clang::FunctionDecl& kernel) {
  auto [known, isNew] = runs_.try_emplace(&kernel);
  if (isNew)
    known->second = std::make_shared<const std::vector<BlockRun>>(source::runsOf(unit_, kernel, launches()));
  return *known->second;
}

const std::vector<const clang::FunctionDecl*>& Analyses::hostFunctions() {
  if (!hostFunctions_) hostFunctions_ = hostFunctionsOf(unit_);
  return *hostFunctions_;
}

const TensorValues& Analyses::tensorValuesOf(const clang::FunctionDecl& f) {
  auto known = tensorValues_.find(&f);
  if (known == tensorValues_.end()) known = tensorValues_.emplace(&f, source::tensorValuesOf(unit_, f)).first;
  return known->second;
}

}  // namespace kadvise::source

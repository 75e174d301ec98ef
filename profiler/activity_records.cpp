#include "profiler/activity_records.h"

#include <algorithm>

namespace kadvise {

std::uint32_t ActivityRecords::nameId(std::string_view name) {
  if (auto known = nameIds_.find(name); known != nameIds_.end()) return known->second;
  auto id = static_cast<std::uint32_t>(names_.size());
  names_.emplace_back(name);
  nameIds_.emplace(names_.back(), id);
  return id;
}

std::uint32_t ActivityRecords::shapeId(const LaunchShape& shape) {
  auto [at, isNew] = shapeIds_.emplace(shape, static_cast<std::uint32_t>(shapes_.size()));
  if (isNew) shapes_.push_back(shape);
  return at->second;
}

void ActivityRecords::finish() {
  std::stable_sort(records_.begin(), records_.end(),
                   [](const ActivityRecord& a, const ActivityRecord& b) { return a.startNs < b.startNs; });
  auto before = [](const CallSite& a, const CallSite& b) { return a.correlation < b.correlation; };
  std::stable_sort(sites_.begin(), sites_.end(), before);
  for (ActivityRecord& r : records_) {
    auto at = std::lower_bound(sites_.begin(), sites_.end(), CallSite{r.correlation, 0}, before);
    if (at != sites_.end() && at->correlation == r.correlation) r.site = at->site;
  }
}

void ActivityRecords::clear() { *this = ActivityRecords(); }

}  // namespace kadvise

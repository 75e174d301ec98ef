#include "kernels/linear_epilogue/plan_cache.h"

namespace kadvise {

std::uint32_t alignmentOf(const void* p) {
  const auto address = reinterpret_cast<std::uintptr_t>(p);
  std::uint32_t alignment = 256;
  while (address % alignment != 0) alignment /= 2;
  return alignment;
}

PlanKey planKey(const LinearArgs& a, int device) {
  const std::int64_t kind = static_cast<std::int64_t>(a.dtype) | static_cast<std::int64_t>(a.epilogue) << 4 |
                            static_cast<std::int64_t>(a.splitSums) << 8 |
                            std::int64_t{a.weightIsTransposed} << 12 | std::int64_t{a.inTf32} << 13 |
                            std::int64_t{a.bias != nullptr} << 14 | std::int64_t{a.z != nullptr} << 15;
  return {device,
          kind,
          a.rows,
          a.in,
          a.out,
          a.xStride,
          a.weightStride,
          a.z != nullptr ? a.zStride : 0,
          a.resultStride,
          alignmentOf(a.x),
          alignmentOf(a.weight),
          alignmentOf(a.bias),
          alignmentOf(a.z),
          alignmentOf(a.result)};
}

std::optional<std::optional<LinearPlan>> PlanCache::find(const PlanKey& key) {
  const std::scoped_lock lock(mutex_);
  const auto found = plans_.find(key);
  if (found == plans_.end()) return std::nullopt;
  return found->second;
}

void PlanCache::keep(const PlanKey& key, const std::optional<LinearPlan>& plan) {
  const std::scoped_lock lock(mutex_);
  if (plans_.size() >= kMost) plans_.clear();
  plans_[key] = plan;
}

}  // namespace kadvise

#include "kernels/rowprogram/launch_plan.h"

#include <mutex>

namespace kadvise::rowprogram {

CallKey callKey(const Problem& problem, int device) {
  CallKey key{static_cast<std::int64_t>(problem.program->id), device,
              static_cast<std::int64_t>(problem.outer.size()),
              static_cast<std::int64_t>(problem.inner.size())};
  const auto add = [&](const auto& numbers) { key.append(numbers.begin(), numbers.end()); };
  add(problem.outer);
  add(problem.inner);
  for (const auto* accesses : {&problem.inputs, &problem.outputs}) {
    for (const Access& access : *accesses) {
      key.push_back(static_cast<std::int64_t>(access.isNumber) << 32 |
                    static_cast<std::int64_t>(access.element) << 16 | access.address << 8 | access.alignment);
      add(access.outer);
      add(access.inner);
      key.push_back(access.step);
    }
  }
  add(problem.bounds);
  return key;
}

std::size_t LaunchPlanCache::Hash::operator()(const CallKey& key) const {
  std::uint64_t hash = key.size();
  for (const std::int64_t number : key) {
    hash = (hash ^ static_cast<std::uint64_t>(number)) * 0x9e3779b97f4a7c15;
    hash ^= hash >> 32;
  }
  return hash;
}

std::shared_ptr<const LaunchPlan> LaunchPlanCache::find(const CallKey& key) const {
  const std::shared_lock lock(mutex_);
  const auto found = plans_.find(key);
  return found != plans_.end() ? found->second : nullptr;
}

void LaunchPlanCache::keep(const CallKey& key, std::shared_ptr<const LaunchPlan> plan) {
  const std::unique_lock lock(mutex_);
  if (plans_.size() >= kMost) plans_.clear();
  plans_[key] = std::move(plan);
}

}  // namespace kadvise::rowprogram

// The plans of earlier calls, by all that a choice of algorithm depends on.
#pragma once

#include "kernels/linear_epilogue/launch.h"

#include <array>
#include <cstddef>
#include <map>
#include <mutex>
#include <optional>

namespace kadvise {

// Sizes, strides and flags of a call, the device, and how far each pointer is aligned.
using PlanKey = std::array<std::int64_t, 16>;
PlanKey planKey(const LinearArgs&, int device);

// The largest power of two up to 256 that divides the address.
std::uint32_t alignmentOf(const void*);

// From several threads. Nothing in an entry: that kind of call has no plan.
class PlanCache {
 public:
  std::optional<std::optional<LinearPlan>> find(const PlanKey&);
  void keep(const PlanKey&, const std::optional<LinearPlan>&);

 private:
  // Sequences of ever new lengths would fill the memory; they start again from nothing.
  static constexpr std::size_t kMost = 4096;
  std::mutex mutex_;
  std::map<PlanKey, std::optional<LinearPlan>> plans_;
};

}  // namespace kadvise

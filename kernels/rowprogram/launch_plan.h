// How one problem is computed on one GPU, and the plans of earlier calls.
#pragma once

#include "kernels/rowprogram/emit.h"
#include "kernels/runtime_compile/launch.h"

#include <c10/util/SmallVector.h>

#include <atomic>
#include <cstddef>
#include <memory>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace kadvise::rowprogram {

struct LaunchPlan {
  const LoadedText* text = nullptr;  // null: the interpreter serves this problem
  std::vector<RuntimeLaunch> launches;
  std::vector<std::int64_t> numbers;
  std::size_t scratchBytes = 0;
  std::vector<char> overwritten;  // inputs, see Source
  std::string schedule;
  bool tunesLater = false;                 // it was made where nothing can be timed
  mutable std::atomic<bool> fails{false};  // its kernels could not be started
};

// The program, the device, and all of the problem that a kernel depends on.
using CallKey = c10::SmallVector<std::int64_t, 96>;
CallKey callKey(const Problem&, int device);

// From several threads. A plan lives as long as somebody uses it.
class LaunchPlanCache {
 public:
  std::shared_ptr<const LaunchPlan> find(const CallKey&) const;
  void keep(const CallKey&, std::shared_ptr<const LaunchPlan>);

 private:
  // Sequences of ever new lengths would fill the memory; plans start again from nothing.
  static constexpr std::size_t kMost = 4096;
  struct Hash {
    std::size_t operator()(const CallKey&) const;
  };
  mutable std::shared_mutex mutex_;
  std::unordered_map<CallKey, std::shared_ptr<const LaunchPlan>, Hash> plans_;
};

}  // namespace kadvise::rowprogram

// What a run leaves behind besides its outputs.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiler/device.h"

namespace kadvise {

// Which tensors a module holds, how often they were written, and its numbers, bools, strings and lists. A
// module that changes itself gives another answer at each call, and the two sides of a comparison share their
// parameters.
class ModuleState {
 public:
  explicit ModuleState(const torch::jit::Module&);
  // The first attribute, by name, that is another tensor or value, or was written since.
  std::optional<std::string> changedIn(const ModuleState& later) const;
  std::vector<std::string> changesIn(const ModuleState& later) const;  // all of them

 private:
  std::map<std::string, std::pair<const void*, std::uint32_t>> tensors_;  // identity and version
  std::map<std::string, std::string> values_;
};

// Settings that outlive the call: those of the process, and the device's. A candidate that changes them
// speeds itself up, or others down, and what is measured after it is measured under other conditions.
class ProcessState {
 public:
  explicit ProcessState(const Device&);
  // "the number of threads (2 before, 1 after)"
  std::optional<std::string> changedIn(const ProcessState& later) const;

 private:
  std::map<std::string, std::string> settings_;
};

// The outputs of one call and a copy, to see whether the next call overwrites them.
class HeldOutput {
 public:
  explicit HeldOutput(const c10::IValue& output);
  bool overwritten() const;

 private:
  c10::IValue output_, copy_;
};

// Those of the original and of the candidate, from case to case.
class HeldOutputs {
 public:
  // By the call behind them: the candidate's, and not the original's.
  bool areOverwritten() const { return original_ && candidate_->overwritten() && !original_->overwritten(); }
  void hold(const c10::IValue& original, const c10::IValue& candidate) {
    if (!isGivenUp_) original_.emplace(original), candidate_.emplace(candidate);
  }
  // Their memory is wanted for more than this question. False where it is given back already.
  bool giveUp(const Device& device) {
    original_.reset(), candidate_.reset();
    releaseCachedMemory(device);
    return !std::exchange(isGivenUp_, true);
  }

 private:
  std::optional<HeldOutput> original_, candidate_;
  bool isGivenUp_ = false;
};

// The outputs of several calls on the same inputs. Each is judged, so that what differs is within the bounds.
class RepeatedRun {
 public:
  void add(const c10::IValue& output);
  // "two runs of the candidate differ in output 0, by rounding"; "" when all were alike.
  const std::string& note() const { return note_; }

 private:
  std::optional<c10::IValue> first_;
  std::string note_;
};

}  // namespace kadvise

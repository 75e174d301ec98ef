// What a run leaves behind besides its outputs.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>

namespace kadvise {

// Which tensors a module holds, and how often they were written. A module that changes itself gives another
// answer at each call, and the two sides of a comparison share their parameters.
class ModuleState {
 public:
  explicit ModuleState(const torch::jit::Module&);
  // The first attribute, by name, that is another tensor or was written since.
  std::optional<std::string> changedIn(const ModuleState& later) const;

 private:
  std::map<std::string, std::pair<const void*, std::uint32_t>> tensors_;  // identity and version
};

// The outputs of one call and a copy, to see whether the next call overwrites them.
class HeldOutput {
 public:
  explicit HeldOutput(const c10::IValue& output);
  bool overwritten() const;

 private:
  c10::IValue output_, copy_;
};

}  // namespace kadvise

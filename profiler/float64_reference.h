// The original in float64, as far as it can be had.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "profiler/attributes.h"
#include "profiler/cases.h"
#include "profiler/device.h"
#include "profiler/own_state.h"
#include "profiler/values.h"

namespace kadvise {

using Sizes = std::vector<std::int64_t>;

// What it holds of the original's tensors: freezing leaves out those that forward does not read, and makes
// constants of some, the lists of an LSTM.
struct Float64Weights {
  std::map<std::string, Sizes> named;
  std::set<Sizes> constants;
};

class Float64Reference {
 public:
  Float64Reference(std::function<torch::jit::Module()> load, const Device& device, std::uint64_t seed)
      : load_(std::move(load)), device_(device), seed_(seed) {}

  // The leaves of its output on the case's inputs, upcast; none where it does not run, and note() says why.
  // What fails on the batch itself, or cannot be loaded, is not tried again. Throws NoMemory where that is
  // the reason, but for the batch itself: against the original alone others would be stricter questions.
  // weights: the original's, in place of those that it has; state: see observedRun().
  std::vector<Leaf> outputOf(const Case&, const Attributes& state = {},
                             const std::vector<NamedTensor>& weights = {});
  // None where there is no reference. Throws what loading it throws.
  Float64Weights weights();
  const std::string& note() const { return note_; }

 private:
  std::function<torch::jit::Module()> load_;
  const Device& device_;
  std::uint64_t seed_;
  std::optional<torch::jit::Module> module_;
  std::string note_;
  bool isShortOfMemory_ = false;
};

}  // namespace kadvise

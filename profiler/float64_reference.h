// The original in float64, as far as it can be had.
#pragma once

#include <torch/script.h>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "profiler/attributes.h"
#include "profiler/cases.h"
#include "profiler/device.h"
#include "profiler/values.h"

namespace kadvise {

class Float64Reference {
 public:
  Float64Reference(std::function<torch::jit::Module()> load, const Device& device, std::uint64_t seed)
      : load_(std::move(load)), device_(device), seed_(seed) {}

  // The leaves of its output on the case's inputs, upcast; none where it does not run, and note() says why.
  // What fails on the batch itself, or cannot be loaded, is not tried again. weights: the original's, in
  // place of those that it has.
  std::vector<Leaf> outputOf(const Case&, const std::vector<NamedTensor>& weights = {});
  // Whether it has each of these under its name, in the same size.
  bool hasAll(const std::vector<NamedTensor>&);
  const std::string& note() const { return note_; }

 private:
  std::function<torch::jit::Module()> load_;
  const Device& device_;
  std::uint64_t seed_;
  std::optional<torch::jit::Module> module_;
  std::string note_;
};

}  // namespace kadvise

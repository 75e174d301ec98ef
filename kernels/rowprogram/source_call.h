// A generated source as a call: compiled and loaded, with the arguments that its kernels take.
#pragma once

#include "kernels/rowprogram/emit.h"
#include "kernels/runtime_compile/launch.h"

#include <ATen/core/Tensor.h>
#include <c10/util/SmallVector.h>

#include <span>
#include <string>
#include <vector>

namespace kadvise::rowprogram {

// The tensors of one call and where it runs.
struct Call {
  std::span<const at::Tensor> inputs, outputs;
  c10::Device device;
  void* stream;
};

// The addresses of the arguments, in the order that Source describes. Built in place: they point into it.
class Arguments {
 public:
  Arguments(const Call&, const at::Tensor& scratch, std::span<const std::int64_t> numbers);
  Arguments(const Arguments&) = delete;
  Arguments& operator=(const Arguments&) = delete;

  void* const* get() const { return addresses_.data(); }

 private:
  c10::SmallVector<std::uint64_t, 40> values_;
  c10::SmallVector<void*, 40> addresses_;
};

bool isCaptured(const Call&);  // into a CUDA graph

at::Tensor scratchFor(std::size_t bytes, c10::Device);  // undefined for 0

// Empty when it was compiled and loaded; else a sentence. A source without kernels computes nothing, and is
// never loaded.
std::string load(const Source&, int device, const LoadedText*& text);

bool hasAll(std::span<const Source>, int device);  // without compiling

// Several side by side; the sentence of each.
std::vector<std::string> loadAll(std::span<const Source>, int device, std::vector<const LoadedText*>& texts);

std::vector<RuntimeLaunch> launchesOf(const Source&);

}  // namespace kadvise::rowprogram

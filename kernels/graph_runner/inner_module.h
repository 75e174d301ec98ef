// The module that a runner owns: a saved TorchScript module with two methods of equal results, `captured`,
// which is recorded, and `plain`, which runs when no recording can serve.
#pragma once

#include "kernels/graph_runner/captured_calls.h"

#include <torch/script.h>

namespace kadvise {

class InnerModule {
 public:
  // The bytes of the file, as uint8[n]. On a device they name where the module goes; nullopt: where it was
  // saved. Throws c10::Error when they hold no such module.
  InnerModule(const at::Tensor& bytes, std::optional<c10::Device> device);

  Tensors captured(const Tensors& inputs) const { return call(captured_, inputs); }
  Tensors plain(const Tensors& inputs) const { return call(plain_, inputs); }
  at::Tensor bytes() const;  // saved anew, on the CPU

  const torch::jit::Module& module() const { return module_; }
  const std::vector<c10::Device>& devices() const { return devices_; }  // of its tensors, each once
  bool requiresGrad() const { return requiresGrad_; }

  // Throws c10::Error with the remedy when the inputs live on another device than the module, which .to()
  // does not reach.
  void requireDeviceOf(const Tensors& inputs) const;

 private:
  static Tensors call(const torch::jit::Method&, const Tensors& inputs);

  torch::jit::Module module_;
  torch::jit::Method captured_, plain_;
  std::vector<c10::Device> devices_;
  bool requiresGrad_ = false;
};

}  // namespace kadvise

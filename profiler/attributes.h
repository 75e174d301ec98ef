// The tensors of a module by their full names: parameters, buffers, and plain tensor attributes.
#pragma once

#include <torch/script.h>

#include <string>
#include <utility>
#include <vector>

namespace kadvise {

using NamedTensor = std::pair<std::string, at::Tensor>;  // "encoder.layers.0.weight"; defined tensors only

// In the order of declaration, submodules in their place. A tensor with two names comes twice.
std::vector<NamedTensor> tensorAttributes(const torch::jit::Module&);

c10::IValue attributeOf(const torch::jit::Module&, const std::string& name);
void setAttribute(const torch::jit::Module&, const std::string& name, const c10::IValue& value);

// Gives a module other tensors under some of its names for as long as it lives. Throws c10::Error where the
// module has no such name.
class OtherWeights {
 public:
  OtherWeights(torch::jit::Module, const std::vector<NamedTensor>&);
  ~OtherWeights();
  OtherWeights(const OtherWeights&) = delete;
  OtherWeights& operator=(const OtherWeights&) = delete;

 private:
  torch::jit::Module module_;
  std::vector<NamedTensor> own_;
};

}  // namespace kadvise

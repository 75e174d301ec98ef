#include "profiler/residue.h"

#include "profiler/attributes.h"
#include "profiler/values.h"

namespace kadvise {

ModuleState::ModuleState(const torch::jit::Module& module) {
  for (const auto& [name, tensor] : tensorAttributes(module))
    // Tensors made in inference mode count no versions.
    if (!tensor.is_inference()) tensors_[name] = {tensor.unsafeGetTensorImpl(), tensor._version()};
}

std::optional<std::string> ModuleState::changedIn(const ModuleState& later) const {
  for (const auto& [name, now] : tensors_)
    if (auto other = later.tensors_.find(name); other == later.tensors_.end() || other->second != now)
      return name;
  return std::nullopt;
}

HeldOutput::HeldOutput(const c10::IValue& output)
    : output_(output), copy_(mapTensors(output, [](const at::Tensor& t) { return t.clone(); })) {}

bool HeldOutput::overwritten() const {
  auto a = leavesOf(output_, ""), b = leavesOf(copy_, "");
  for (std::size_t i = 0; i < a.size(); ++i)
    if (!sameBits(a[i].value, b[i].value)) return true;
  return false;
}

}  // namespace kadvise

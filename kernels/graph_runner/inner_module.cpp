#include "kernels/graph_runner/inner_module.h"

#include "kernels/graph_runner/saved_module.h"

#include <algorithm>

namespace kadvise {
namespace {

constexpr const char* kClass = "kadvise.GraphRunner";

torch::jit::Module load(const at::Tensor& bytes, std::optional<c10::Device> device) {
  TORCH_CHECK(bytes.defined() && bytes.scalar_type() == at::kByte && bytes.dim() == 1, kClass,
              " takes the bytes of a saved TorchScript module as one uint8 tensor of one dimension");
  try {
    return moduleFromBytes(bytes.cpu(), device);
  } catch (const std::exception& error) {
    const auto* known = dynamic_cast<const c10::Error*>(&error);
    const std::string message = known ? known->what_without_backtrace() : error.what();
    TORCH_CHECK(false, kClass, " could not load the module that it was given: ", message);
  }
}

bool isListOfTensors(const c10::TypePtr& type) { return type->isSubtypeOf(*c10::ListType::ofTensors()); }

torch::jit::Method methodNamed(const torch::jit::Module& module, const char* name) {
  const auto found = module.find_method(name);
  TORCH_CHECK(found, kClass, ": the module has no method ", name, "(Tensor[] inputs) -> Tensor[]");
  const c10::FunctionSchema& schema = found->function().getSchema();
  const bool fits = schema.arguments().size() == 2 && isListOfTensors(schema.arguments()[1].type()) &&
                    schema.returns().size() == 1 && isListOfTensors(schema.returns()[0].type());
  TORCH_CHECK(fits, kClass, ": the method must be ", name, "(Tensor[] inputs) -> Tensor[], and is ", schema);
  return *found;
}

}  // namespace

InnerModule::InnerModule(const at::Tensor& bytes, std::optional<c10::Device> device)
    : module_(load(bytes, device)),
      captured_(methodNamed(module_, "captured")),
      plain_(methodNamed(module_, "plain")) {
  const auto note = [this](const at::Tensor& tensor) {
    if (!tensor.defined()) return;
    requiresGrad_ |= tensor.requires_grad();
    if (std::find(devices_.begin(), devices_.end(), tensor.device()) == devices_.end()) {
      devices_.push_back(tensor.device());
    }
  };
  for (const at::Tensor& tensor : module_.parameters()) note(tensor);
  for (const at::Tensor& tensor : module_.buffers()) note(tensor);
}

Tensors InnerModule::call(const torch::jit::Method& method, const Tensors& inputs) {
  return method({c10::IValue(inputs)}).toTensorVector();
}

at::Tensor InnerModule::bytes() const { return bytesOfModule(module_); }

void InnerModule::requireDeviceOf(const Tensors& inputs) const {
  if (devices_.size() != 1 || inputs.empty()) return;
  const c10::Device own = devices_.front();
  const auto isThere = [&](const at::Tensor& t) { return t.defined() && t.device() == own; };
  // One input on the device is enough: a module may take numbers as tensors of the CPU.
  if (std::any_of(inputs.begin(), inputs.end(), isThere)) return;
  const auto elsewhere =
      std::find_if(inputs.begin(), inputs.end(), [](const at::Tensor& t) { return t.defined(); });
  if (elsewhere == inputs.end() || elsewhere->is_meta()) return;
  TORCH_CHECK(false, "the weights of this module belong to a CUDA-graph runner (", kClass, ") and live on ",
              own, ", but its inputs are on ", elsewhere->device(),
              ". Moving the outer module does not reach them: load the file again with torch.jit.load(file, "
              "map_location=\"",
              elsewhere->device(), "\"), or run kadvise again for that device");
}

}  // namespace kadvise

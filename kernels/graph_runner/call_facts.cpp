#include "kernels/graph_runner/call_facts.h"

#include <c10/core/GradMode.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/core/impl/TorchDispatchModeTLS.h>
#include <torch/csrc/jit/frontend/tracer.h>

#include <algorithm>

namespace kadvise {
namespace {

// A strided tensor of a GPU and no more: no subclass, no tensor of a transformation, no lazy conjugate or
// negative.
bool isOrdinary(const at::Tensor& tensor) {
  const c10::DispatchKeySet keys =
      tensor.key_set() - c10::autograd_dispatch_keyset_with_ADInplaceOrView - c10::autocast_dispatch_keyset;
  return keys.highestPriorityTypeId() == c10::DispatchKey::CUDA;
}

bool isWatched() {
  return c10::impl::dispatch_mode_enabled() || torch::jit::tracer::isTracing() ||
         c10::impl::tls_is_dispatch_key_included(c10::DispatchKey::FuncTorchDynamicLayerFrontMode);
}

bool wantsGradient(const at::Tensor& tensor) {
  return (c10::GradMode::is_enabled() && tensor.requires_grad()) || tensor._fw_grad(/*level=*/0).defined();
}

}  // namespace

const char* whyPlain(const Tensors& inputs, Gradients gradients) {
  if (inputs.empty()) return "it has no inputs, so the device is not known";
  if (isWatched()) return "a tracer or a dispatch mode watches the call";
  for (const at::Tensor& input : inputs) {
    if (!input.defined()) return "an input is an undefined tensor";
    if (input.is_cpu()) return "an input is on the CPU";
    if (!isOrdinary(input)) return "an input is not an ordinary strided tensor of a GPU";
    if (input.device() != inputs.front().device()) return "the inputs are on several devices";
    if (wantsGradient(input)) return "gradients are wanted: an input requires them";
    if (gradients.asked && input.requires_grad())
      return "the module asks an input that requires gradients for it";
  }
  if (c10::GradMode::is_enabled() && gradients.required) {
    return "gradients are wanted: the module's weights require them; call it under torch.inference_mode()";
  }
  return nullptr;
}

}  // namespace kadvise

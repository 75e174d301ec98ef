// A TorchScript module as the bytes of its file in a tensor, read and written without further copies of them:
// the weights are most of the bytes.
#pragma once

#include <torch/script.h>

namespace kadvise {

// Bytes are uint8[n] on the CPU. On a device: where the module goes; nullopt: where it was saved. Throws
// c10::Error or what LibTorch throws when they hold no module.
torch::jit::Module moduleFromBytes(const at::Tensor& bytes, std::optional<c10::Device> device);

at::Tensor bytesOfModule(const torch::jit::Module& module);

}  // namespace kadvise

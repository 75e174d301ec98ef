#include "kernels/graph_runner/cuda/signature.h"

#include <ATen/Context.h>
#include <ATen/autocast_mode.h>
#include <c10/core/GradMode.h>
#include <c10/core/InferenceMode.h>

namespace kadvise {
namespace {

void writeInput(const at::Tensor& input, const void* inPlace, Signature& signature) {
  signature.push_back(static_cast<std::int64_t>(input.scalar_type()));
  signature.push_back(reinterpret_cast<std::int64_t>(inPlace));
  signature.push_back(input.dim());
  signature.insert(signature.end(), input.sizes().begin(), input.sizes().end());
  signature.insert(signature.end(), input.strides().begin(), input.strides().end());
}

void writeThread(Signature& signature) {
  const bool autocast = at::autocast::is_autocast_enabled(at::kCUDA);
  signature.push_back(c10::GradMode::is_enabled());
  signature.push_back(c10::InferenceMode::is_enabled());
  signature.push_back(static_cast<std::int64_t>(at::get_default_dtype_as_scalartype()));
  signature.push_back(autocast ? static_cast<std::int64_t>(at::autocast::get_autocast_dtype(at::kCUDA)) : -1);
}

void writeTorch(Signature& signature) {
  const at::Context& torch = at::globalContext();
  const bool flags[] = {
      torch.deterministicAlgorithms(),
      torch.deterministicFillUninitializedMemory(),
      torch.deterministicCuDNN(),
      torch.benchmarkCuDNN(),
      torch.userEnabledCuDNN(),
      torch.userEnabledFlashSDP(),
      torch.userEnabledMemEfficientSDP(),
      torch.userEnabledMathSDP(),
      torch.userEnabledCuDNNSDP(),
      torch.allowFP16BF16ReductionMathSDP(),
      torch.allowFP16AccumulationCuBLAS(),
  };
  std::int64_t packed = 0;
  for (const bool flag : flags) packed = packed << 1 | (flag ? 1 : 0);
  signature.push_back(packed);
  signature.push_back(static_cast<std::int64_t>(torch.allowFP16ReductionCuBLAS()));
  signature.push_back(static_cast<std::int64_t>(torch.allowBF16ReductionCuBLAS()));
  for (const at::Float32Op op : {at::Float32Op::MATMUL, at::Float32Op::CONV, at::Float32Op::RNN}) {
    signature.push_back(static_cast<std::int64_t>(torch.float32Precision(at::Float32Backend::CUDA, op)));
  }
}

}  // namespace

void writeSignature(const Tensors& inputs, const std::vector<const void*>& readInPlace,
                    Signature& signature) {
  signature.clear();
  for (std::size_t i = 0; i < inputs.size(); ++i) writeInput(inputs[i], readInPlace[i], signature);
  writeThread(signature);
  writeTorch(signature);
}

}  // namespace kadvise

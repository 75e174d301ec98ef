#include "profiler/tf32_convolutions.h"

#include <ATen/ATen.h>
#include <ATen/Context.h>
#include <torch/library.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <string_view>

namespace kadvise {
namespace {

// A key that LibTorch keeps for such interceptions, and uses itself in tests alone.
constexpr auto kKey = c10::DispatchKey::TESTING_ONLY_GenericMode;
constexpr const char* kForbidding[] = {"cudnn_enabled", "allow_tf32"};  // where they are false
constexpr std::int32_t kDroppedBits = 13;                               // of the 23 of float32's fraction

thread_local int convolutions = 0;
thread_local at::DeviceType device = at::kCUDA;

// Of infinities the dropped bits are zeros, and NaN stay NaN but for one that has no other bits.
at::Tensor rounded(const at::Tensor& t) {
  constexpr std::int32_t kHalf = 1 << (kDroppedBits - 1), kKept = -(1 << kDroppedBits);
  auto bits = t.view(at::kInt).add(kHalf).bitwise_and_(kKept);
  return at::where(t.isfinite(), bits.view(at::kFloat), t);
}

// aten::_convolution has words of its own on it.
bool isForbidden(const c10::FunctionSchema& schema, const c10::IValue* arguments) {
  return std::any_of(std::begin(kForbidding), std::end(kForbidding), [&](auto* name) {
    auto at = schema.argumentIndexWithName(name);
    return at && !arguments[*at].toBool();
  });
}

void convolve(const c10::OperatorHandle& op, c10::DispatchKeySet, torch::jit::Stack* stack) {
  auto* arguments = stack->data() + (stack->size() - op.schema().arguments().size());
  auto& image = arguments[0].toTensor();
  const bool isOfDevice = image.device().type() == device && !isForbidden(op.schema(), arguments);
  if (isOfDevice && image.scalar_type() == at::kFloat) ++convolutions;
  for (int i : {0, 1}) {  // image and weight
    auto& v = arguments[i];
    if (isOfDevice && v.toTensor().scalar_type() == at::kFloat) v = rounded(v.toTensor());
  }
  c10::impl::ExcludeDispatchKeyGuard once(kKey);
  op.callBoxed(stack);
}

auto throughHere() { return torch::CppFunction::makeFromBoxedFunction<&convolve>(); }

TORCH_LIBRARY_IMPL(_, TESTING_ONLY_GenericMode, m) { m.fallback(torch::CppFunction::makeFallthrough()); }

// All of LibTorch's convolutions come by one of these, and what replacements make of them.
TORCH_LIBRARY_IMPL(aten, TESTING_ONLY_GenericMode, m) {
  m.impl("convolution", throughHere());
  m.impl("_convolution", throughHere());
  m.impl("cudnn_convolution_relu", throughHere());
  m.impl("cudnn_convolution_add_relu", throughHere());
}

}  // namespace

bool mayConvolveInTf32(const Device& device) {
  const char* override = std::getenv("NVIDIA_TF32_OVERRIDE");
  bool isForbidden = override && std::string_view(override) == "0";
  return device.isCuda() && device.arch >= 80 && !isForbidden && at::globalContext().userEnabledCuDNN() &&
         at::globalContext().allowTF32CuDNN(at::Float32Op::CONV);
}

ConvolutionsInTf32::ConvolutionsInTf32(at::DeviceType type) : guard_(kKey) {
  convolutions = 0;
  device = type;
}
bool ConvolutionsInTf32::sawOne() const { return convolutions > 0; }

}  // namespace kadvise

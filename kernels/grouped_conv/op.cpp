// kadvise::grouped_conv: the convolution of groups of channels of signals [N, C, L] or images [N, C, H, W],
// its bias, and an activation.
//
// The result lies in memory as x does; the kernels are of channels that lie together, and others are copied
// there and back. Whatever the kernels do not serve is the operators in a row: the CPU, groups that do not
// fit a multiprocessor, float where TF32 is not allowed, other or mixed dtypes, gradients, autocast.
#include "kernels/common/activations.h"
#include "kernels/common/convolution.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/images.h"
#include "kernels/grouped_conv/launch.h"

#include <ATen/Context.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv2d.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

using at::IntArrayRef;

void check(const Tensor& x, const Tensor& weight, std::int64_t groups) {
  const bool fits = (x.dim() == 3 || x.dim() == 4) && weight.dim() == x.dim() && groups > 0 &&
                    x.sym_size(1) == weight.sym_size(1) * groups && weight.sym_size(0) % groups == 0;
  TORCH_CHECK(fits, "kadvise::grouped_conv: x must be signals or images, and weight kernels for each of ",
              groups, " groups of their channels; they are of sizes ", x.sym_sizes(), " and ",
              weight.sym_sizes());
}

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, std::int64_t groups,
                   const MaybeName& activation) {
  check(x, weight, groups);
  const Tensor result = x.dim() == 3 ? at::conv1d(x, weight, bias, stride, padding, dilation, groups)
                                     : at::conv2d(x, weight, bias, stride, padding, dilation, groups);
  return inLayout(appliedOrNot(activation, result), isChannelsLast(x));
}

// ---- what a kernel can serve

bool allowsTf32(const Tensor& x) {
  return x.scalar_type() != at::kFloat || at::globalContext().allowTF32CuDNN(at::Float32Op::CONV);
}

// A signal is a row of pixels.
GroupedConvArgs described(const Tensor& x, const Tensor& weight, const Tensor& bias, Tensor& result,
                          const ConvolutionSettings& s, std::int64_t groups) {
  const bool isSignal = x.dim() == 3;
  const auto rows = [&](const Tensor& t) { return isSignal ? 1 : t.size(2); };
  const auto columns = [](const Tensor& t) { return t.size(t.dim() - 1); };
  const auto down = [&](IntArrayRef values, std::int32_t none) {
    return isSignal ? none : static_cast<std::int32_t>(s.along(values, 0));
  };
  const auto across = [&](IntArrayRef values) {
    return static_cast<std::int32_t>(s.along(values, isSignal ? 0 : 1));
  };
  const auto step = [&](std::int64_t d) { return x.size(d) == 1 ? 0 : x.stride(d); };
  GroupedConvArgs a{};
  a.x = x.const_data_ptr(), a.weight = weight.const_data_ptr(), a.bias = dataOrNull(bias);
  a.result = result.mutable_data_ptr();
  a.images = x.size(0), a.channels = x.size(1), a.results = weight.size(0), a.groups = groups;
  a.rows = rows(x), a.columns = columns(x);
  a.resultRows = rows(result), a.resultColumns = columns(result);
  a.kernelRows = static_cast<std::int32_t>(rows(weight));
  a.kernelColumns = static_cast<std::int32_t>(columns(weight));
  a.strideRows = down(s.stride, 1), a.strideColumns = across(s.stride);
  a.padRows = down(s.padding, 0), a.padColumns = across(s.padding);
  a.dilationRows = down(s.dilation, 1), a.dilationColumns = across(s.dilation);
  a.steps = {step(0), isSignal ? 0 : step(2), step(x.dim() - 1)};
  a.dtype = *kernelDtype(x.scalar_type());
  return a;
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                             const ConvolutionSettings& settings, std::int64_t groups,
                             const MaybeName& activation) {
  const auto sizes = sizesForKernels(x, weight, bias, settings, x.scalar_type());
  if (!sizes || !allowsTf32(x)) return std::nullopt;

  constexpr bool kChannelsLast = true;
  const Tensor rows = x.stride(1) == 1 ? x : inLayout(x, kChannelsLast);
  const Tensor kernels = inLayout(weight, kChannelsLast), added = contiguousOrNone(bias);
  Tensor result = emptyImages(*sizes, kChannelsLast, x.options());
  GroupedConvArgs args = described(rows, kernels, added, result, settings, groups);
  args.activation = activationOrNone(activation);
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaGroupedConv*>(cudaSymbol("kadvise_cuda_grouped_conv"));
  int serves = 0;
  const char* problem = enqueue(&args, currentStream(x.device()), &serves);
  TORCH_CHECK(problem == nullptr, problem);
  if (serves == 0) return std::nullopt;
  return inLayout(result, isChannelsLast(x));
}

struct GroupedConv {
  static constexpr const char* kName = "grouped_conv";
  static constexpr const char* kQualifiedName = "kadvise::grouped_conv";
  static constexpr const char* kSchema =
      "grouped_conv(Tensor x, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
      "int groups, str? activation=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                      IntArrayRef padding, IntArrayRef dilation, std::int64_t groups,
                      const MaybeName& activation) {
    return composition(x, weight, bias, stride, padding, dilation, groups, activation);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, std::int64_t groups,
                       const MaybeName& activation) {
    check(x, weight, groups);
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result = launch(x, weight, bias, {stride, padding, dilation}, groups, activation);
    return result ? *result : composition(x, weight, bias, stride, padding, dilation, groups, activation);
  }
  // In plain arithmetic, since torch's own convolution leaves it to Python.
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor&, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, std::int64_t groups,
                       const MaybeName& activation) {
    check(x, weight, groups);
    activationOrNone(activation);
    return emptyImages(checkedResultSizes(kQualifiedName, x, weight, {stride, padding, dilation}),
                       isChannelsLast(x), x.options());
  }
};

}  // namespace

extern const Operator kGroupedConv;
const Operator kGroupedConv = Dispatch<GroupedConv>::entry();

}  // namespace kadvise

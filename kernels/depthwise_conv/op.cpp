// kadvise::depthwise_conv: the convolution of each channel of signals [N, C, L] or images [N, C, H, W] with a
// kernel of its own, its bias, and an activation. padding is that of torch, or has the zeros in front of each
// dimension and then those behind each: [top, left, bottom, right], [left, right]. Where x has 16 bits,
// weight and bias may have 32: with a batch norm in them they are not rounded to 16 again.
//
// The result lies in memory as x does. Whatever the kernels do not serve is the operators in a row: the CPU,
// kernels of very many elements, other or mixed dtypes, gradients, autocast.
#include "kernels/common/activations.h"
#include "kernels/common/convolution.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/images.h"
#include "kernels/depthwise_conv/launch.h"

#include <ATen/autocast_mode.h>
#include <ATen/ops/constant_pad_nd.h>
#include <ATen/ops/conv1d.h>
#include <ATen/ops/conv2d.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>

namespace kadvise {
namespace {

using at::IntArrayRef;

void check(const Tensor& x, const Tensor& weight) {
  const bool fits = (x.dim() == 3 || x.dim() == 4) && weight.dim() == x.dim() && weight.sym_size(1) == 1 &&
                    weight.sym_size(0) == x.sym_size(1);
  TORCH_CHECK(fits,
              "kadvise::depthwise_conv: x must be signals or images, and weight one kernel for each of their "
              "channels; they are of sizes ",
              x.sym_sizes(), " and ", weight.sym_sizes());
}

ConvolutionSettings settingsOf(IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation) {
  return {stride, padding, dilation, /*hasSides=*/true};
}

// As constant_pad_nd has it, which begins with the last dimension.
c10::SmallVector<std::int64_t, 4> sidesFromTheLast(IntArrayRef padding, std::int64_t dims) {
  c10::SmallVector<std::int64_t, 4> out;
  for (std::int64_t i = dims - 1; i >= 0; --i) {
    out.push_back(ConvolutionSettings::along(padding, i));
    out.push_back(ConvolutionSettings::along(padding, dims + i));
  }
  return out;
}

Tensor convolution(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation) {
  if (settingsOf(stride, padding, dilation).sidesDiffer(x.dim() - 2)) {
    TORCH_CHECK(std::all_of(padding.begin(), padding.end(), [](auto side) { return side >= 0; }),
                "kadvise::depthwise_conv: negative padding, ", padding);
    const Tensor padded = at::constant_pad_nd(x, sidesFromTheLast(padding, x.dim() - 2), 0);
    return convolution(padded, weight, bias, stride, {0}, dilation);
  }
  return x.dim() == 3 ? at::conv1d(x, weight, bias, stride, padding, dilation, x.size(1))
                      : at::conv2d(x, weight, bias, stride, padding, dilation, x.size(1));
}

bool hasWideWeights(const Tensor& x, const Tensor& weight) {
  return weight.scalar_type() == at::kFloat &&
         (x.scalar_type() == at::kHalf || x.scalar_type() == at::kBFloat16);
}

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, const MaybeName& activation) {
  check(x, weight);
  if (hasWideWeights(x, weight) && !at::autocast::is_autocast_enabled(x.device().type()))
    return composition(x.to(at::kFloat), weight, bias, stride, padding, dilation, activation)
        .to(x.scalar_type());
  return inLayout(appliedOrNot(activation, convolution(x, weight, bias, stride, padding, dilation)),
                  isChannelsLast(x));
}

// ---- what a kernel can serve

struct Call {
  Tensor x, weight, bias, result;
  DepthwiseArgs args{};
};

// A signal is a row; with its channels last it is a column.
void describe(Call& call, const ConvolutionSettings& s, bool channelsLast) {
  DepthwiseArgs& a = call.args;
  const bool signal = call.x.dim() == 3;
  const auto size = [&](const Tensor& t, bool rows) {
    if (!signal) return t.size(rows ? 2 : 3);
    return rows == channelsLast ? t.size(2) : 1;
  };
  const auto setting = [&](IntArrayRef values, bool rows, std::int32_t none) {
    if (!signal) return static_cast<std::int32_t>(s.along(values, rows ? 0 : 1));
    return rows == channelsLast ? static_cast<std::int32_t>(s.along(values, 0)) : none;
  };
  a.images = call.x.size(0);
  a.channels = call.x.size(1);
  a.rows = size(call.x, true);
  a.columns = size(call.x, false);
  a.resultRows = size(call.result, true);
  a.resultColumns = size(call.result, false);
  a.kernelRows = static_cast<std::int32_t>(size(call.weight, true));
  a.kernelColumns = static_cast<std::int32_t>(size(call.weight, false));
  a.strideRows = setting(s.stride, true, 1);
  a.strideColumns = setting(s.stride, false, 1);
  a.padRows = setting(s.padding, true, 0);
  a.padColumns = setting(s.padding, false, 0);
  a.dilationRows = setting(s.dilation, true, 1);
  a.dilationColumns = setting(s.dilation, false, 1);
  a.channelsLast = channelsLast;
}

// What the kernels read together lies together.
bool liesForKernels(const Tensor& x, bool channelsLast) {
  return x.stride(channelsLast ? 1 : x.dim() - 1) == 1;
}

void readFrom(DepthwiseArgs& a, const Tensor& x) {
  const auto step = [&](std::int64_t d) { return x.size(d) == 1 ? 0 : x.stride(d); };
  const bool isRow = x.dim() == 3 && !a.channelsLast, isColumn = x.dim() == 3 && a.channelsLast;
  a.x = x.const_data_ptr();
  a.steps = {step(0), step(1), isRow ? 0 : step(2), isColumn ? 0 : step(x.dim() - 1)};
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                             IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                             const MaybeName& activation) {
  const ConvolutionSettings settings = settingsOf(stride, padding, dilation);
  const bool wide = hasWideWeights(x, weight) && x.dim() == 4;
  const auto sizes = sizesForKernels(x, weight, bias, settings, wide ? at::kFloat : x.scalar_type());
  if (!sizes) return std::nullopt;

  const bool channelsLast = isChannelsLast(x);
  Call call{liesForKernels(x, channelsLast) ? x : inLayout(x, channelsLast),
            weight.contiguous(),
            contiguousOrNone(bias),
            emptyImages(*sizes, channelsLast, x.options()),
            {}};
  call.args.weight = call.weight.const_data_ptr();
  call.args.bias = dataOrNull(call.bias);
  call.args.result = call.result.mutable_data_ptr();
  call.args.dtype = *kernelDtype(x.scalar_type());
  call.args.activation = activationOrNone(activation);
  call.args.wideWeights = wide;
  describe(call, settings, channelsLast);
  readFrom(call.args, call.x);
  static auto* const serves =
      reinterpret_cast<KadviseCudaDepthwiseConvServes*>(cudaSymbol("kadvise_cuda_depthwise_conv_serves"));
  const int as = serves(&call.args);
  if (as == 0) return std::nullopt;
  if (as == 2) {
    call.x = inLayout(call.x, channelsLast);
    readFrom(call.args, call.x);
  }
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaDepthwiseConv*>(cudaSymbol("kadvise_cuda_depthwise_conv"));
  const char* problem = enqueue(&call.args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return call.result;
}

struct DepthwiseConv {
  static constexpr const char* kName = "depthwise_conv";
  static constexpr const char* kQualifiedName = "kadvise::depthwise_conv";
  static constexpr const char* kSchema =
      "depthwise_conv(Tensor x, Tensor weight, Tensor? bias, int[] stride, int[] padding, int[] dilation, "
      "str? activation=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                      IntArrayRef padding, IntArrayRef dilation, const MaybeName& activation) {
    return composition(x, weight, bias, stride, padding, dilation, activation);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, const MaybeName& activation) {
    check(x, weight);
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result = launch(x, weight, bias, stride, padding, dilation, activation);
    return result ? *result : composition(x, weight, bias, stride, padding, dilation, activation);
  }
  // In plain arithmetic, since torch's own convolution leaves it to Python.
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor&, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, const MaybeName& activation) {
    check(x, weight);
    activationOrNone(activation);
    return emptyImages(checkedResultSizes(kQualifiedName, x, weight, settingsOf(stride, padding, dilation)),
                       isChannelsLast(x), x.options());
  }
};

}  // namespace

extern const Operator kDepthwiseConv;
const Operator kDepthwiseConv = Dispatch<DepthwiseConv>::entry();

}  // namespace kadvise

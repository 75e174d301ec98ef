// kadvise::max_pool and kadvise::avg_pool: the largest value, or the mean, of each window of images [N, C, H,
// W] or volumes [N, C, D, H, W], and an activation.
//
// The result lies in memory as x does. Whatever the kernels do not serve is the operators in a row: the CPU,
// other dtypes, gradients, autocast.
#include "kernels/common/activations.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/images.h"
#include "kernels/pool/launch.h"

#include <ATen/ops/avg_pool2d.h>
#include <ATen/ops/avg_pool3d.h>
#include <ATen/ops/max_pool2d.h>
#include <ATen/ops/max_pool3d.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

using at::IntArrayRef;
using MaybeDivisor = std::optional<std::int64_t>;

// Where windows are: of each dimension, or one number for all; no strides: those of the kernel.
struct Windows {
  IntArrayRef kernel, stride, padding, dilation;
  bool ceilMode;
};

void check(const Tensor& x) {
  TORCH_CHECK(x.dim() == 4 || x.dim() == 5,
              "kadvise::max_pool and avg_pool: x must be images [N, C, H, W] or volumes "
              "[N, C, D, H, W], and is of size ",
              x.sym_sizes());
}

Tensor maxComposition(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                      IntArrayRef dilation, bool ceilMode, const MaybeName& activation) {
  check(x);
  const Tensor result = x.dim() == 4 ? at::max_pool2d(x, kernel, stride, padding, dilation, ceilMode)
                                     : at::max_pool3d(x, kernel, stride, padding, dilation, ceilMode);
  return inLayout(appliedOrNot(activation, result), isChannelsLast(x));
}

Tensor avgComposition(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                      bool ceilMode, bool countIncludePad, const MaybeDivisor& divisor,
                      const MaybeName& activation) {
  check(x);
  const Tensor result = x.dim() == 4
                            ? at::avg_pool2d(x, kernel, stride, padding, ceilMode, countIncludePad, divisor)
                            : at::avg_pool3d(x, kernel, stride, padding, ceilMode, countIncludePad, divisor);
  return inLayout(appliedOrNot(activation, result), isChannelsLast(x));
}

// ---- sizes

std::int64_t along(IntArrayRef values, std::size_t dim) {
  return values.size() == 1 ? values[0] : values.at(dim);
}

// What torch would not refuse. Of the numbers of each dimension the last that a kernel can count with.
bool areWindows(const Tensor& x, const Windows& w) {
  const auto dims = static_cast<std::size_t>(x.dim() - 2);
  const auto fits = [&](IntArrayRef values, std::int64_t least) {
    return (values.size() == 1 || values.size() == dims) &&
           std::all_of(values.begin(), values.end(), [&](auto v) { return v >= least && v < 4096; });
  };
  const bool strided = w.stride.empty() || fits(w.stride, 1);
  if (!strided || !fits(w.kernel, 1) || !fits(w.padding, 0) || !fits(w.dilation, 1)) return false;
  for (std::size_t i = 0; i < dims; ++i) {
    if (along(w.padding, i) > along(w.kernel, i) / 2) return false;
  }
  return true;
}

std::int64_t strideOf(const Windows& w, std::size_t dim) {
  return along(w.stride.empty() ? w.kernel : w.stride, dim);
}

// A window that would begin behind the input is left out, even where sizes are rounded up.
c10::SymInt resultSize(const c10::SymInt& size, const Windows& w, std::size_t dim) {
  const std::int64_t stride = strideOf(w, dim), pad = along(w.padding, dim);
  const std::int64_t reach = along(w.dilation, dim) * (along(w.kernel, dim) - 1) + 1;
  const c10::SymInt most = (size + 2 * pad - reach + (w.ceilMode ? stride - 1 : 0)) / stride + 1;
  return w.ceilMode && (most - 1) * stride >= size + pad ? most - 1 : most;
}

c10::SymDimVector resultSizes(const Tensor& x, const Windows& w) {
  c10::SymDimVector sizes{x.sym_size(0), x.sym_size(1)};
  for (std::int64_t i = 2; i < x.dim(); ++i) {
    sizes.push_back(resultSize(x.sym_size(i), w, static_cast<std::size_t>(i - 2)));
  }
  return sizes;
}

Tensor onMeta(const Tensor& x, const Windows& w, const MaybeName& activation) {
  check(x);
  activationOrNone(activation);
  TORCH_CHECK(areWindows(x, w),
              "kadvise::max_pool and avg_pool: kernel, stride, padding or dilation are no windows over ",
              x.dim() - 2, " dimensions");
  return emptyImages(resultSizes(x, w), isChannelsLast(x), x.options());
}

// ---- the kernel

PoolDim dimOf(const Tensor& x, const Tensor& result, const Windows& w, std::int64_t dim) {
  if (dim < 2) return {1, 1, 1, 1, 0, 1};  // the depth of an image
  const auto i = static_cast<std::size_t>(dim - 2);
  return {x.size(dim),
          result.size(dim),
          static_cast<std::int32_t>(along(w.kernel, i)),
          static_cast<std::int32_t>(strideOf(w, i)),
          static_cast<std::int32_t>(along(w.padding, i)),
          static_cast<std::int32_t>(along(w.dilation, i))};
}

struct Average {
  bool countsPadding = false;
  MaybeDivisor divisor;
};

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& images, const Windows& w, PoolKind kind, const Average& average,
                             const MaybeName& activation) {
  const auto dtype = kernelDtype(images.scalar_type());
  if (!images.is_cuda() || !dtype || images.numel() == 0 || !areWindows(images, w)) return std::nullopt;
  const auto sizes = resultSizes(images, w);
  const auto isEmpty = [](const c10::SymInt& size) { return size.expect_int() < 1; };
  if (std::any_of(sizes.begin(), sizes.end(), isEmpty)) return std::nullopt;

  const bool channelsLast = isChannelsLast(images);
  const Tensor x = inLayout(images, channelsLast);
  Tensor result = emptyImages(sizes, channelsLast, x.options());
  const auto last = x.dim() - 1;
  PoolArgs args{x.const_data_ptr(),
                result.mutable_data_ptr(),
                x.size(0),
                x.size(1),
                dimOf(x, result, w, last - 2),
                dimOf(x, result, w, last - 1),
                dimOf(x, result, w, last),
                average.divisor.value_or(0),
                average.countsPadding,
                channelsLast,
                kind,
                *dtype,
                activationOrNone(activation)};
  static auto* const enqueue = reinterpret_cast<KadviseCudaPool*>(cudaSymbol("kadvise_cuda_pool"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

constexpr std::int64_t kOne = 1;

struct MaxPool {
  static constexpr const char* kName = "max_pool";
  static constexpr const char* kQualifiedName = "kadvise::max_pool";
  static constexpr const char* kSchema =
      "max_pool(Tensor x, int[] kernel, int[] stride, int[] padding, int[] dilation, bool ceil_mode, "
      "str? activation=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = maxComposition;

  static Tensor onCpu(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                      IntArrayRef dilation, bool ceilMode, const MaybeName& activation) {
    return composition(x, kernel, stride, padding, dilation, ceilMode, activation);
  }
  static Tensor onCuda(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                       IntArrayRef dilation, bool ceilMode, const MaybeName& activation) {
    check(x);
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result =
        launch(x, {kernel, stride, padding, dilation, ceilMode}, PoolKind::Max, {}, activation);
    return result ? *result : composition(x, kernel, stride, padding, dilation, ceilMode, activation);
  }
  static Tensor onMeta(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                       IntArrayRef dilation, bool ceilMode, const MaybeName& activation) {
    return kadvise::onMeta(x, {kernel, stride, padding, dilation, ceilMode}, activation);
  }
};

struct AvgPool {
  static constexpr const char* kName = "avg_pool";
  static constexpr const char* kQualifiedName = "kadvise::avg_pool";
  static constexpr const char* kSchema =
      "avg_pool(Tensor x, int[] kernel, int[] stride, int[] padding, bool ceil_mode, bool count_include_pad, "
      "int? divisor_override, str? activation=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = avgComposition;

  static Tensor onCpu(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                      bool ceilMode, bool countIncludePad, const MaybeDivisor& divisor,
                      const MaybeName& activation) {
    return composition(x, kernel, stride, padding, ceilMode, countIncludePad, divisor, activation);
  }
  static Tensor onCuda(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                       bool ceilMode, bool countIncludePad, const MaybeDivisor& divisor,
                       const MaybeName& activation) {
    check(x);
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const bool divides = !divisor || *divisor != 0;
    const auto result = divides ? launch(x, {kernel, stride, padding, kOne, ceilMode}, PoolKind::Average,
                                         {countIncludePad, divisor}, activation)
                                : std::nullopt;
    return result ? *result
                  : composition(x, kernel, stride, padding, ceilMode, countIncludePad, divisor, activation);
  }
  static Tensor onMeta(const Tensor& x, IntArrayRef kernel, IntArrayRef stride, IntArrayRef padding,
                       bool ceilMode, bool, const MaybeDivisor&, const MaybeName& activation) {
    return kadvise::onMeta(x, {kernel, stride, padding, kOne, ceilMode}, activation);
  }
};

}  // namespace

extern const Operator kMaxPool;
const Operator kMaxPool = Dispatch<MaxPool>::entry();
extern const Operator kAvgPool;
const Operator kAvgPool = Dispatch<AvgPool>::entry();

}  // namespace kadvise

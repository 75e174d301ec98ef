// kadvise::group_norm and kadvise::instance_norm: the norm of each group of channels, or of each channel, of
// each image (or signal, or volume), with a weight and a bias for each channel, and an activation
// (slope: of leaky_relu). group_norm is that of x + shift, where there is one: a number for each channel,
// [C], or for each channel of each image, [N, C] or [1, C].
//
// The result lies in memory as x does: there is no pass from channels last to contiguous and back. Whatever
// the kernels do not serve is the operators in a row: the CPU, other or mixed dtypes, gradients, autocast.
#include "kernels/common/activations.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/images.h"
#include "kernels/group_norm/launch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/group_norm.h>
#include <ATen/ops/instance_norm.h>
#include <ATen/ops/leaky_relu.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

constexpr const char* kLeakyRelu = "leaky_relu";  // the one that takes a slope

Activation endingOf(const MaybeName& name) {
  return name && *name == kLeakyRelu ? Activation::LeakyRelu : activationOrNone(name);
}
Tensor ended(const MaybeName& name, double slope, const Tensor& x) {
  return name && *name == kLeakyRelu ? at::leaky_relu(x, slope) : appliedOrNot(name, x);
}

bool isShift(const Tensor& shift, const Tensor& x) {
  const auto dims = shift.dim();
  if (dims < 1 || dims > 2 || shift.sym_size(dims - 1) != x.sym_size(1)) return false;
  return dims == 1 || shift.sym_size(0) == 1 || shift.sym_size(0) == x.sym_size(0);
}

void check(const Tensor& x, std::int64_t groups, const MaybeTensor& shift) {
  TORCH_CHECK(x.dim() >= 2 && groups > 0 && x.sym_size(1) % groups == 0,
              "kadvise::group_norm: the channels of x, which is of size ", x.sym_sizes(),
              ", must be divisible into ", groups, " groups");
  TORCH_CHECK(!isThere(shift) || isShift(*shift, x), "kadvise::group_norm: the shift of x, which is of size ",
              x.sym_sizes(), ", must be a number for each channel, or for each channel of each image");
}

Tensor shifted(const Tensor& x, const MaybeTensor& shift) {
  if (!isThere(shift)) return x;
  c10::SymDimVector sizes(shift->sym_sizes().begin(), shift->sym_sizes().end());
  sizes.resize(sizes.size() + static_cast<std::size_t>(x.dim() - 2), 1);
  return x + shift->to(x.scalar_type()).reshape_symint(sizes);
}

Tensor composition(const Tensor& x, std::int64_t groups, const MaybeTensor& weight, const MaybeTensor& bias,
                   double eps, const MaybeName& activation, double slope, const MaybeTensor& shift) {
  check(x, groups, shift);
  const Tensor result = at::group_norm(shifted(x, shift), groups, weight, bias, eps, /*cudnn_enabled=*/false);
  return inLayout(ended(activation, slope, result), isChannelsLast(x));
}

Tensor instanceComposition(const Tensor& x, const MaybeTensor& weight, const MaybeTensor& bias, double eps,
                           const MaybeName& activation, double slope) {
  const Tensor result =
      at::instance_norm(x, weight, bias, /*running_mean=*/{}, /*running_var=*/{},
                        /*use_input_stats=*/true, /*momentum=*/0, eps, /*cudnn_enabled=*/false);
  return inLayout(ended(activation, slope, result), isChannelsLast(x));
}

bool isVector(const MaybeTensor& vector, const Tensor& x) {
  return !isThere(vector) || (isLike(*vector, x) && vector->dim() == 1 && vector->size(0) == x.size(1));
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& images, std::int64_t groups, const MaybeTensor& weight,
                             const MaybeTensor& bias, double eps, const MaybeName& activation, double slope,
                             const MaybeTensor& shift) {
  const auto dtype = kernelDtype(images.scalar_type());
  const bool serves = images.is_cuda() && dtype && images.numel() > 0 && isVector(weight, images) &&
                      isVector(bias, images) && (!isThere(shift) || isLike(*shift, images));
  if (!serves) return std::nullopt;

  const bool channelsLast = isChannelsLast(images);
  if (!channelsLast && isThere(shift))
    return launch(inLayout(shifted(images, shift), channelsLast), groups, weight, bias, eps, activation,
                  slope, {});
  const Tensor x = inLayout(images, channelsLast), w = contiguousOrNone(weight), b = contiguousOrNone(bias),
               added = contiguousOrNone(shift);
  Tensor result = emptyImages(x.sym_sizes(), channelsLast, x.options()), scratch;
  GroupNormArgs args{x.const_data_ptr(),
                     dataOrNull(w),
                     dataOrNull(b),
                     dataOrNull(added),
                     result.mutable_data_ptr(),
                     x.size(0),
                     x.size(1),
                     groups,
                     x.numel() / (x.size(0) * x.size(1)),
                     channelsLast,
                     isThere(shift) && shift->numel() == x.size(1),
                     static_cast<float>(eps),
                     *dtype,
                     endingOf(activation),
                     static_cast<float>(slope),
                     nullptr};
  static auto* const scratchOf =
      reinterpret_cast<KadviseCudaGroupNormScratch*>(cudaSymbol("kadvise_cuda_group_norm_scratch"));
  static auto* const enqueue = reinterpret_cast<KadviseCudaGroupNorm*>(cudaSymbol("kadvise_cuda_group_norm"));
  const std::int64_t bytes = scratchOf(&args);
  if (bytes < 0) return std::nullopt;
  if (bytes > 0) {
    scratch = at::empty({bytes}, x.options().dtype(at::kByte));
    args.scratch = scratch.mutable_data_ptr();
  }
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct GroupNorm {
  static constexpr const char* kName = "group_norm";
  static constexpr const char* kQualifiedName = "kadvise::group_norm";
  static constexpr const char* kSchema =
      "group_norm(Tensor x, int groups, Tensor? weight, Tensor? bias, float eps, str? activation=None, "
      "float slope=0, Tensor? shift=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, std::int64_t groups, const MaybeTensor& weight,
                      const MaybeTensor& bias, double eps, const MaybeName& activation, double slope,
                      const MaybeTensor& shift) {
    return composition(x, groups, weight, bias, eps, activation, slope, shift);
  }
  static Tensor onCuda(const Tensor& x, std::int64_t groups, const MaybeTensor& weight,
                       const MaybeTensor& bias, double eps, const MaybeName& activation, double slope,
                       const MaybeTensor& shift) {
    check(x, groups, shift);
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result = launch(x, groups, weight, bias, eps, activation, slope, shift);
    return result ? *result : composition(x, groups, weight, bias, eps, activation, slope, shift);
  }
  static Tensor onMeta(const Tensor& x, std::int64_t groups, const MaybeTensor&, const MaybeTensor&, double,
                       const MaybeName& activation, double, const MaybeTensor& shift) {
    check(x, groups, shift);
    endingOf(activation);
    return emptyImages(x.sym_sizes(), isChannelsLast(x), x.options());
  }
};

struct InstanceNorm {
  static constexpr const char* kName = "instance_norm";
  static constexpr const char* kQualifiedName = "kadvise::instance_norm";
  static constexpr const char* kSchema =
      "instance_norm(Tensor x, Tensor? weight, Tensor? bias, float eps, str? activation=None, float slope=0) "
      "-> "
      "Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = instanceComposition;

  static Tensor onCpu(const Tensor& x, const MaybeTensor& weight, const MaybeTensor& bias, double eps,
                      const MaybeName& activation, double slope) {
    return composition(x, weight, bias, eps, activation, slope);
  }
  static Tensor onCuda(const Tensor& x, const MaybeTensor& weight, const MaybeTensor& bias, double eps,
                       const MaybeName& activation, double slope) {
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result =
        x.dim() < 3 ? std::nullopt : launch(x, x.size(1), weight, bias, eps, activation, slope, {});
    return result ? *result : composition(x, weight, bias, eps, activation, slope);
  }
  static Tensor onMeta(const Tensor& x, const MaybeTensor&, const MaybeTensor&, double,
                       const MaybeName& activation, double) {
    TORCH_CHECK(x.dim() >= 3, "kadvise::instance_norm: x must have pixels, and is of size ", x.sym_sizes());
    endingOf(activation);
    return emptyImages(x.sym_sizes(), isChannelsLast(x), x.options());
  }
};

}  // namespace

extern const Operator kGroupNorm;
const Operator kGroupNorm = Dispatch<GroupNorm>::entry();
extern const Operator kInstanceNorm;
const Operator kInstanceNorm = Dispatch<InstanceNorm>::entry();

}  // namespace kadvise

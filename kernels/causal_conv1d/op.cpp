// kadvise::causal_conv1d: a convolution of each channel over its last `width` times, with a bias and SiLU, as
// state-space models have it before their scan (Gu, Dao, "Mamba: Linear-Time Sequence Modeling with Selective
// State Spaces", 2023, figure 3).
//
// Equal to conv1d(x, weight, bias, padding=width - 1, groups=channels)[..., :length], then SiLU. The result
// is contiguous, or has its channels dense where x has. What the kernel does not serve is that composition:
// other or mixed dtypes, widths other than 2, 3 and 4, gradients, autocast, the CPU, other devices.
#include "kernels/causal_conv1d/launch.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/sequence.h"
#include "kernels/common/tensors.h"

#include <ATen/ops/conv1d.h>
#include <ATen/ops/silu.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

void check(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
  TORCH_CHECK(x.dim() == 3, "kadvise::causal_conv1d: x must be [batch, channel, time], not of ", x.dim(),
              " dimensions");
  TORCH_CHECK(weight.dim() == 3 && weight.sym_size(0) == x.sym_size(1) && weight.sym_size(1) == 1 &&
                  weight.sym_size(2) >= 1,
              "kadvise::causal_conv1d: weight must be [channels of x, 1, width], not ", weight.sym_sizes());
  TORCH_CHECK(!isThere(bias) || (bias->dim() == 1 && bias->sym_size(0) == x.sym_size(1)),
              "kadvise::causal_conv1d: bias must be [channels of x]");
}

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, bool silu) {
  check(x, weight, bias);
  if (x.sym_numel() == 0) return emptySequence(x, x.scalar_type());
  const c10::SymInt padding[] = {weight.sym_size(2) - 1}, one[] = {1};
  Tensor result =
      at::conv1d_symint(x, weight, bias, one, padding, one, x.sym_size(1)).slice_symint(2, 0, x.sym_size(2));
  if (silu) result = at::silu(result);
  return asSequence(result, x);
}

// A stride that is never taken is anything.
bool isDense(const Tensor& x, std::int64_t dim) { return x.stride(dim) == 1 || x.size(dim) == 1; }

SequenceStride strideOf(const Tensor& x) { return {x.stride(0), x.stride(1), x.stride(2)}; }

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, bool silu) {
  const auto dtype = kernelDtype(x.scalar_type());
  const std::int64_t width = weight.size(2);
  if (!dtype || width < 2 || width > 4 || !isLike(weight, x)) return std::nullopt;
  if (isThere(bias) && !isLike(*bias, x)) return std::nullopt;
  Tensor result = emptySequence(x, x.scalar_type());
  if (result.numel() == 0) return result;
  const bool timesDense = isDense(x, 2) && isDense(result, 2);
  if (!timesDense && !(isDense(x, 1) && isDense(result, 1))) return std::nullopt;
  const Tensor weights = weight.contiguous(), biases = contiguousOrNone(bias);

  const CausalConv1dArgs args{x.const_data_ptr(),
                              weights.const_data_ptr(),
                              dataOrNull(biases),
                              result.mutable_data_ptr(),
                              strideOf(x),
                              strideOf(result),
                              x.size(0),
                              x.size(1),
                              x.size(2),
                              static_cast<std::int32_t>(width),
                              *dtype,
                              timesDense,
                              silu};
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaCausalConv1d*>(cudaSymbol("kadvise_cuda_causal_conv1d"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct CausalConv1d {
  static constexpr const char* kName = "causal_conv1d";
  static constexpr const char* kQualifiedName = "kadvise::causal_conv1d";
  static constexpr const char* kSchema =
      "causal_conv1d(Tensor x, Tensor weight, Tensor? bias, bool silu) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, bool silu) {
    return composition(x, weight, bias, silu);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, bool silu) {
    if (!x.is_cuda()) return composition(x, weight, bias, silu);
    check(x, weight, bias);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, weight, bias, silu);
    return result ? *result : composition(x, weight, bias, silu);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, bool) {
    check(x, weight, bias);
    return emptySequence(x, x.scalar_type());
  }
};

}  // namespace

extern const Operator kCausalConv1d;
const Operator kCausalConv1d = Dispatch<CausalConv1d>::entry();

}  // namespace kadvise

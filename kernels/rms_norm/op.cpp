// kadvise::rms_norm and kadvise::add_rms_norm, over the last dimension.
//
// Models differ in where they round: `round_before_weight` says whether x * scale is rounded to x's dtype
// before it meets the weight, or the product is rounded once. The sum that add_rms_norm normalises, and
// returns, is rounded to its dtype. Whatever the kernels do not serve is the composition, which the kernels
// equal in shapes, dtypes, strides and errors: other dtypes, rows that are not contiguous, gradients,
// autocast, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"
#include "kernels/rms_norm/launch.h"

#include <ATen/ExpandUtils.h>
#include <ATen/OpMathType.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/mean.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/rsqrt.h>
#include <ATen/ops/square.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

using Results = std::tuple<Tensor, Tensor>;  // normalized, sum

Tensor composition(const Tensor& x, const MaybeTensor& weight, double eps, bool roundBeforeWeight) {
  const Tensor wide = x.to(at::toOpMathType(x.scalar_type()));
  Tensor scaled = at::mul(wide, at::rsqrt(at::add(at::mean(at::square(wide), {-1}, /*keepdim=*/true), eps)));
  if (roundBeforeWeight) scaled = scaled.to(x.scalar_type());
  if (isThere(weight)) scaled = at::mul(scaled, *weight);
  return roundBeforeWeight ? scaled : scaled.to(x.scalar_type());
}

Results addComposition(const Tensor& x, const Tensor& residual, const MaybeTensor& weight, double eps,
                       bool roundBeforeWeight) {
  Tensor sum = at::add(x, residual);
  Tensor normalized = composition(sum, weight, eps, roundBeforeWeight);
  return {std::move(normalized), std::move(sum)};
}

// ---- what a kernel can serve

// A wider weight keeps x's dtype only where the product is rounded to it.
bool isWeight(const MaybeTensor& weight, const Tensor& x, std::int64_t length, bool roundBeforeWeight) {
  if (!isThere(weight)) return true;
  const bool wide =
      weight->scalar_type() == at::kFloat && weight->device() == x.device() && !roundBeforeWeight;
  return weight->dim() == 1 && weight->size(0) == length && (isLike(*weight, x) || wide);
}

// A call that a kernel can serve, its outputs allocated. Tensors are held while pointers to them are in use.
// Without a residual there is no sum either.
struct Call {
  Tensor x, residual, weight, sum, normalized;
  RmsNormArgs args{};
};

Call withOutputs(const Tensor& x, const MaybeTensor& residual, at::IntArrayRef sizes) {
  if (!residual) return {x, {}, {}, {}, emptyResult(x), {}};
  Tensor sum = emptyResult(x, *residual);
  Tensor normalized = at::empty_strided(sum.sizes(), sum.strides(), sum.options());
  return {expanded(x, sizes), expanded(*residual, sizes), {}, std::move(sum), std::move(normalized), {}};
}

// Nothing when only the composition can serve it. An empty result has length 0 and needs no kernel.
std::optional<Call> prepare(const Tensor& x, const MaybeTensor& residual, const MaybeTensor& weight,
                            double eps, bool roundBeforeWeight) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype || (residual && !isLike(*residual, x))) return std::nullopt;
  const auto sizes = at::infer_size_dimvector(x.sizes(), residual ? residual->sizes() : x.sizes());
  if (sizes.empty() || !isWeight(weight, x, sizes.back(), roundBeforeWeight)) return std::nullopt;

  Call call = withOutputs(x, residual, sizes);
  if (call.normalized.numel() == 0) return call;
  const auto rows = residual ? rowsOf({&call.normalized, &call.x, &call.residual}, 1)
                             : rowsOf({&call.normalized, &call.x}, 1);
  if (!rows) return std::nullopt;
  call.weight = contiguousOrNone(weight);
  RmsNormArgs& a = call.args;
  a.x = call.x.const_data_ptr();
  a.residual = dataOrNull(call.residual);
  a.weight = dataOrNull(call.weight);
  a.sum = call.sum.defined() ? call.sum.mutable_data_ptr() : nullptr;
  a.normalized = call.normalized.mutable_data_ptr();
  a.grid = rows->grid;
  a.resultStride = rows->stride[0];
  a.xStride = rows->stride[1];
  a.residualStride = rows->stride[2];
  a.length = rows->length;
  a.eps = static_cast<float>(eps);
  a.dtype = *dtype;
  a.weightDtype = call.weight.defined() ? *kernelDtype(call.weight.scalar_type()) : *dtype;
  a.rounding = roundBeforeWeight ? RmsRounding::BeforeWeight : RmsRounding::AfterWeight;
  return call;
}

// The call on the current device, where a kernel serves it.
std::optional<Call> launch(const Tensor& x, const MaybeTensor& residual, const MaybeTensor& weight,
                           double eps, bool roundBeforeWeight) {
  auto call = prepare(x, residual, weight, eps, roundBeforeWeight);
  if (!call || call->args.length == 0) return call;
  static auto* const enqueue = reinterpret_cast<KadviseCudaRmsNorm*>(cudaSymbol("kadvise_cuda_rms_norm"));
  static auto* const scratchOf =
      reinterpret_cast<KadviseCudaRmsNormScratch*>(cudaSymbol("kadvise_cuda_rms_norm_scratch"));
  Tensor scratch;
  if (const auto floats = scratchOf(&call->args); floats > 0) {
    scratch = at::empty({floats}, x.options().dtype(at::kFloat));
    call->args.scratch = scratch.mutable_data_ptr<float>();
  }
  const char* problem = enqueue(&call->args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return call;
}

// ---- meta functions: the composition on meta tensors, except that symbolic sizes of contiguous tensors stay
// so

Tensor onMeta(const Tensor& x, const MaybeTensor& weight, double eps, bool roundBeforeWeight) {
  const bool symbols = hasSymbols(x) || (isThere(weight) && hasSymbols(*weight));
  const bool vector =
      !isThere(weight) || (weight->dim() == 1 && x.dim() > 0 && weight->sym_size(0) == x.sym_size(-1));
  if (!symbols || !vector || !x.is_contiguous()) {
    return composition(withoutSymbols(x), withoutSymbols(weight), eps, roundBeforeWeight);
  }
  const auto dtype = roundBeforeWeight && isThere(weight) ? at::result_type(x, *weight) : x.scalar_type();
  return at::empty_symint(x.sym_sizes(), x.options().dtype(dtype));
}

Results addOnMeta(const Tensor& x, const Tensor& residual, const MaybeTensor& weight, double eps,
                  bool roundBeforeWeight) {
  Tensor sum;
  if ((hasSymbols(x) || hasSymbols(residual)) && x.is_contiguous() && residual.is_contiguous()) {
    sum = at::empty_symint(at::infer_size_symint(x.sym_sizes(), residual.sym_sizes()),
                           x.options().dtype(at::result_type(x, residual)));
  } else {
    sum = at::add(withoutSymbols(x), withoutSymbols(residual));
  }
  return {onMeta(sum, weight, eps, roundBeforeWeight), sum};
}

// ---- the two operators

struct RmsNorm {
  static constexpr const char* kName = "rms_norm";
  static constexpr const char* kQualifiedName = "kadvise::rms_norm";
  static constexpr const char* kSchema =
      "rms_norm(Tensor x, Tensor? weight, float eps, bool round_before_weight) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onMeta = kadvise::onMeta;

  static Tensor onCpu(const Tensor& x, const MaybeTensor& weight, double eps, bool roundBeforeWeight) {
    return composition(x, weight, eps, roundBeforeWeight);
  }
  static Tensor onCuda(const Tensor& x, const MaybeTensor& weight, double eps, bool roundBeforeWeight) {
    if (!x.is_cuda()) return composition(x, weight, eps, roundBeforeWeight);
    const c10::DeviceGuard guard(x.device());
    auto call = launch(x, {}, weight, eps, roundBeforeWeight);
    return call ? std::move(call->normalized) : composition(x, weight, eps, roundBeforeWeight);
  }
};

struct AddRmsNorm {
  static constexpr const char* kName = "add_rms_norm";
  static constexpr const char* kQualifiedName = "kadvise::add_rms_norm";
  static constexpr const char* kSchema =
      "add_rms_norm(Tensor x, Tensor residual, Tensor? weight, float eps, bool round_before_weight) -> "
      "(Tensor normalized, Tensor sum)";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = addComposition;
  static constexpr auto& onMeta = addOnMeta;

  static Results onCpu(const Tensor& x, const Tensor& residual, const MaybeTensor& weight, double eps,
                       bool roundBeforeWeight) {
    return composition(x, residual, weight, eps, roundBeforeWeight);
  }
  static Results onCuda(const Tensor& x, const Tensor& residual, const MaybeTensor& weight, double eps,
                        bool roundBeforeWeight) {
    if (!x.is_cuda()) return composition(x, residual, weight, eps, roundBeforeWeight);
    const c10::DeviceGuard guard(x.device());
    auto call = launch(x, residual, weight, eps, roundBeforeWeight);
    if (!call) return composition(x, residual, weight, eps, roundBeforeWeight);
    return {std::move(call->normalized), std::move(call->sum)};
  }
};

}  // namespace

extern const Operator kRmsNorm;
const Operator kRmsNorm = Dispatch<RmsNorm>::entry();
extern const Operator kAddRmsNorm;
const Operator kAddRmsNorm = Dispatch<AddRmsNorm>::entry();

}  // namespace kadvise

// kadvise::add_layer_norm: x + residual and its LayerNorm in one pass over memory.
//
// Equal to at::add followed by at::layer_norm in shapes, dtypes, strides and errors, because whatever the
// kernels do not serve IS that composition: mixed or other dtypes, rows that are not contiguous, gradients,
// autocast, other devices.
#include "kernels/add_layer_norm/op.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/result_type.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

using Results = std::tuple<Tensor, Tensor>;  // normalized, sum

Results composition(const Tensor& x, const Tensor& residual, c10::SymIntArrayRef shape,
                    const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  Tensor sum = at::add(x, residual);
  Tensor normalized = at::layer_norm_symint(sum, shape, weight, bias, eps);
  return {std::move(normalized), std::move(sum)};
}

// ---- what a kernel can serve

// A weight or bias that a kernel can read: absent, or of x's dtype and device and of the normalized shape.
bool isAffine(const MaybeTensor& vector, const Tensor& x, at::IntArrayRef shape) {
  return !isThere(vector) || (isLike(*vector, x) && vector->sizes() == shape);
}

bool endsWith(at::IntArrayRef sizes, at::IntArrayRef tail) {
  return !tail.empty() && sizes.size() >= tail.size() && sizes.slice(sizes.size() - tail.size()) == tail;
}

// A call that a kernel can serve, its outputs allocated. Tensors are held while pointers to them are in use.
struct Call {
  Tensor x, residual, weight, bias, sum, normalized;
  AddLayerNormArgs args{};
};

// Nothing when only the composition can serve it. An empty result has length 0 and needs no kernel.
std::optional<Call> prepare(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                            const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype || !isLike(residual, x) || !isAffine(weight, x, shape) || !isAffine(bias, x, shape))
    return std::nullopt;
  const auto sizes = at::infer_size_dimvector(x.sizes(), residual.sizes());
  if (!endsWith(sizes, shape)) return std::nullopt;

  Call call{expanded(x, sizes), expanded(residual, sizes), {}, {}, emptyResult(x, residual), {}};
  std::optional<Rows> rows;
  if (call.sum.numel() > 0) {
    rows = rowsOf({&call.x, &call.residual, &call.sum}, static_cast<std::int64_t>(shape.size()));
    if (!rows) return std::nullopt;
  }
  call.normalized = at::empty(sizes, x.options());
  if (!rows) return call;
  call.weight = contiguousOrNone(weight);
  call.bias = contiguousOrNone(bias);
  call.args = {call.x.const_data_ptr(),
               call.residual.const_data_ptr(),
               dataOrNull(call.weight),
               dataOrNull(call.bias),
               call.sum.mutable_data_ptr(),
               call.normalized.mutable_data_ptr(),
               rows->grid,
               rows->stride[0],
               rows->stride[1],
               rows->stride[2],
               rows->length,
               static_cast<float>(eps),
               *dtype,
               nullptr,
               nullptr};
  return call;
}

// ---- one function per dispatch key

Results onCpu(const Tensor& x, const Tensor& residual, at::IntArrayRef shape, const MaybeTensor& weight,
              const MaybeTensor& bias, double eps) {
  std::optional<Call> call;
  if (x.scalar_type() != at::kHalf)
    call = prepare(x, residual, shape, weight, bias, eps);  // cpu_float.h says why
  if (!call) return composition(x, residual, c10::fromIntArrayRefSlow(shape), weight, bias, eps);
  if (call->args.length > 0) addLayerNormCpu(call->args);
  return {std::move(call->normalized), std::move(call->sum)};
}

Results onCuda(const Tensor& x, const Tensor& residual, at::IntArrayRef shape, const MaybeTensor& weight,
               const MaybeTensor& bias, double eps) {
  const c10::OptionalDeviceGuard guard(x.is_cuda() ? x.device() : residual.device());
  auto call = prepare(x, residual, shape, weight, bias, eps);
  if (!call) return composition(x, residual, c10::fromIntArrayRefSlow(shape), weight, bias, eps);
  if (call->args.length > 0) {
    static auto* const launch =
        reinterpret_cast<KadviseCudaAddLayerNorm*>(cudaSymbol("kadvise_cuda_add_layer_norm"));
    static auto* const scratchOf =
        reinterpret_cast<KadviseCudaAddLayerNormScratch*>(cudaSymbol("kadvise_cuda_add_layer_norm_scratch"));
    Tensor scratch;
    if (const auto floats = scratchOf(&call->args); floats > 0) {
      scratch = at::empty({floats}, x.options().dtype(at::kFloat));
      call->args.scratch = scratch.mutable_data_ptr<float>();
    }
    const char* problem = launch(&call->args, currentStream(x.device()));
    TORCH_CHECK(problem == nullptr, problem);
  }
  return {std::move(call->normalized), std::move(call->sum)};
}

// Shapes and strides only. Symbolic sizes stay symbolic for contiguous tensors and for dense ones that are
// laid out alike; others need torch's own machinery, which computes with numbers.
Results onMeta(const Tensor& x, const Tensor& residual, c10::SymIntArrayRef shape, const MaybeTensor&,
               const MaybeTensor&, double) {
  const auto options = x.options().dtype(at::result_type(x, residual));
  const bool alike = x.sym_sizes() == residual.sym_sizes() && x.sym_strides() == residual.sym_strides();
  Tensor sum;
  if (x.is_contiguous() && residual.is_contiguous()) {
    sum = at::empty_symint(at::infer_size_symint(x.sym_sizes(), residual.sym_sizes()), options);
  } else if (alike && x.is_non_overlapping_and_dense()) {
    sum = at::empty_strided_symint(x.sym_sizes(), x.sym_strides(), options);
  } else {
    sum = emptyResult(withoutSymbols(x), withoutSymbols(residual));
  }
  const auto sizes = sum.sym_sizes();
  TORCH_CHECK(!shape.empty(), "Expected normalized_shape to be at least 1-dimensional");
  TORCH_CHECK(sizes.size() >= shape.size() && sizes.slice(sizes.size() - shape.size()) == shape,
              "Given normalized_shape=", shape, ", expected input with shape [*, ", shape,
              "], but got input of size ", sizes);
  return {at::empty_symint(sizes, sum.options()), sum};
}

struct AddLayerNorm {
  static constexpr const char* kName = "add_layer_norm";
  static constexpr const char* kQualifiedName = "kadvise::add_layer_norm";
  static constexpr const char* kSchema =
      "add_layer_norm(Tensor x, Tensor residual, SymInt[] normalized_shape, Tensor? weight=None, Tensor? "
      "bias=None, float eps=1e-05) -> (Tensor normalized, Tensor sum)";
  // Autocast computes layer_norm in float whatever its inputs are.
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onCpu = kadvise::onCpu;
  static constexpr auto& onCuda = kadvise::onCuda;
  static constexpr auto& onMeta = kadvise::onMeta;
};

}  // namespace

extern const Operator kAddLayerNorm;
const Operator kAddLayerNorm = Dispatch<AddLayerNorm>::entry();

}  // namespace kadvise

// kadvise::add_layer_norm: x + residual and its LayerNorm in one pass over memory.
//
// Equal to at::add followed by at::layer_norm in shapes, dtypes, strides and errors, because whatever the
// kernels do not serve IS that composition: mixed or other dtypes, rows that are not contiguous, gradients,
// autocast, other devices.
#include "kernels/add_layer_norm/op.h"
#include "kernels/common/cuda_library.h"
#include "kernels/common/operator.h"
#include "kernels/common/rows.h"

#include <ATen/ExpandUtils.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/LegacyTypeDispatch.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/ops/add.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_strided.h>
#include <ATen/ops/layer_norm.h>
#include <ATen/ops/result_type.h>
#include <c10/core/AutogradState.h>
#include <c10/core/DeviceGuard.h>
#include <c10/core/impl/LocalDispatchKeySet.h>
#include <c10/util/SmallVector.h>

namespace kadvise {
namespace {

using at::Tensor;
using MaybeTensor = std::optional<Tensor>;
using Results = std::tuple<Tensor, Tensor>;  // normalized, sum

constexpr const char* kName = "add_layer_norm";
constexpr const char* kSchema =
    "add_layer_norm(Tensor x, Tensor residual, SymInt[] normalized_shape, Tensor? weight=None, Tensor? "
    "bias=None, "
    "float eps=1e-05) -> (Tensor normalized, Tensor sum)";

Results composition(const Tensor& x, const Tensor& residual, c10::SymIntArrayRef shape,
                    const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  Tensor sum = at::add(x, residual);
  Tensor normalized = at::layer_norm_symint(sum, shape, weight, bias, eps);
  return {std::move(normalized), std::move(sum)};
}

// ---- what a kernel can serve

std::optional<Dtype> kernelDtype(at::ScalarType type) {
  switch (type) {
    case at::kFloat:
      return Dtype::Float;
    case at::kHalf:
      return Dtype::Half;
    case at::kBFloat16:
      return Dtype::BFloat16;
    default:
      return std::nullopt;
  }
}

bool isLike(const Tensor& tensor, const Tensor& x) {
  return tensor.scalar_type() == x.scalar_type() && tensor.device() == x.device();
}

// A weight or bias that a kernel can read: absent, or of x's dtype and device and of the normalized shape.
bool isAffine(const MaybeTensor& vector, const Tensor& x, at::IntArrayRef shape) {
  return !vector.has_value() || !vector->defined() || (isLike(*vector, x) && vector->sizes() == shape);
}

// An uninitialised tensor with exactly the shape, dtype and strides of at::add's result: its own machinery
// makes it.
Tensor emptySum(const Tensor& x, const Tensor& residual) {
  if (x.is_contiguous() && residual.is_contiguous() && x.sizes() == residual.sizes()) {
    return at::empty(x.sizes(), x.options());
  }
  auto iterator = at::TensorIteratorConfig()
                      .add_owned_output(Tensor())
                      .add_owned_const_input(x)
                      .add_owned_const_input(residual)
                      .allow_cpu_scalars(true)
                      .promote_inputs_to_common_dtype(true)
                      .build();
  return iterator.output();
}

bool endsWith(at::IntArrayRef sizes, at::IntArrayRef tail) {
  return !tail.empty() && sizes.size() >= tail.size() && sizes.slice(sizes.size() - tail.size()) == tail;
}

// A call that a kernel can serve, its outputs allocated. Tensors are held while pointers to them are in use.
struct Call {
  Tensor x, residual, weight, bias, sum, normalized;
  AddLayerNormArgs args{};
};

Tensor contiguousOrNone(const MaybeTensor& vector) {
  return vector.has_value() && vector->defined() ? vector->contiguous() : Tensor();
}

const void* dataOrNull(const Tensor& tensor) { return tensor.defined() ? tensor.const_data_ptr() : nullptr; }

// Equal sizes are the usual case, and a view costs half a microsecond.
Tensor expanded(const Tensor& tensor, at::IntArrayRef sizes) {
  return tensor.sizes() == sizes ? tensor : tensor.expand(sizes);
}

// Nothing when only the composition can serve it. An empty result has length 0 and needs no kernel.
std::optional<Call> prepare(const Tensor& x, const Tensor& residual, at::IntArrayRef shape,
                            const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype || !isLike(residual, x) || !isAffine(weight, x, shape) || !isAffine(bias, x, shape))
    return std::nullopt;
  const auto sizes = at::infer_size_dimvector(x.sizes(), residual.sizes());
  if (!endsWith(sizes, shape)) return std::nullopt;

  Call call{expanded(x, sizes), expanded(residual, sizes), {}, {}, emptySum(x, residual), {}};
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

// A meta tensor of the same shape in plain numbers: what is traced then holds for these sizes only.
Tensor withoutSymbols(const Tensor& tensor) {
  if (!tensor.unsafeGetTensorImpl()->has_symbolic_sizes_strides()) return tensor;
  const auto numbers = [](c10::SymIntArrayRef symbols) {
    c10::SmallVector<std::int64_t, 6> values;
    for (const c10::SymInt& symbol : symbols) values.push_back(symbol.guard_int(__FILE__, __LINE__));
    return values;
  };
  return at::empty_strided(numbers(tensor.sym_sizes()), numbers(tensor.sym_strides()), tensor.options());
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
    sum = emptySum(withoutSymbols(x), withoutSymbols(residual));
  }
  const auto sizes = sum.sym_sizes();
  TORCH_CHECK(!shape.empty(), "Expected normalized_shape to be at least 1-dimensional");
  TORCH_CHECK(sizes.size() >= shape.size() && sizes.slice(sizes.size() - shape.size()) == shape,
              "Given normalized_shape=", shape, ", expected input with shape [*, ", shape,
              "], but got input of size ", sizes);
  return {at::empty_symint(sizes, sum.options()), sum};
}

c10::TypedOperatorHandle<Results(const Tensor&, const Tensor&, c10::SymIntArrayRef, const MaybeTensor&,
                                 const MaybeTensor&, double)>
handle() {
  static const auto op = c10::Dispatcher::singleton()
                             .findSchemaOrThrow("kadvise::add_layer_norm", "")
                             .typed<Results(const Tensor&, const Tensor&, c10::SymIntArrayRef,
                                            const MaybeTensor&, const MaybeTensor&, double)>();
  return op;
}

bool needsGradient(const Tensor& tensor) {
  return tensor.defined() &&
         ((c10::GradMode::is_enabled() && tensor.requires_grad()) || tensor._fw_grad(/*level=*/0).defined());
}
bool needsGradient(const MaybeTensor& tensor) { return tensor.has_value() && needsGradient(*tensor); }

// The kernels have no backward: where a gradient is wanted, forward or backward, the composition gives it.
Results onAutograd(const Tensor& x, const Tensor& residual, c10::SymIntArrayRef shape,
                   const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  if (needsGradient(x) || needsGradient(residual) || needsGradient(weight) || needsGradient(bias)) {
    return composition(x, residual, shape, weight, bias, eps);
  }
  const at::AutoDispatchBelowADInplaceOrView below;
  return handle().call(x, residual, shape, weight, bias, eps);
}

bool isFloat(const MaybeTensor& tensor) {
  return !tensor.has_value() || !tensor->defined() || tensor->scalar_type() == at::kFloat;
}

// Autocast computes layer_norm in float whatever its inputs are. Only where they all are does it change
// nothing.
template <c10::DispatchKey kKey>
Results onAutocast(const Tensor& x, const Tensor& residual, c10::SymIntArrayRef shape,
                   const MaybeTensor& weight, const MaybeTensor& bias, double eps) {
  if (!isFloat(x) || !isFloat(residual) || !isFloat(weight) || !isFloat(bias)) {
    return composition(x, residual, shape, weight, bias, eps);
  }
  const c10::impl::ExcludeDispatchKeyGuard without(kKey);
  return handle().call(x, residual, shape, weight, bias, eps);
}

void implement(torch::Library& library) {
  using c10::DispatchKey;
  const auto add = [&](DispatchKey key, auto&& kernel) { library.impl(kName, torch::dispatch(key, kernel)); };
  add(DispatchKey::CPU, TORCH_FN(onCpu));
  add(DispatchKey::CUDA, TORCH_FN(onCuda));
  add(DispatchKey::Meta, TORCH_FN(onMeta));
  add(DispatchKey::Autograd, TORCH_FN(onAutograd));
  add(DispatchKey::AutocastCPU, TORCH_FN(onAutocast<DispatchKey::AutocastCPU>));
  add(DispatchKey::AutocastCUDA, TORCH_FN(onAutocast<DispatchKey::AutocastCUDA>));
  add(DispatchKey::CompositeExplicitAutograd, TORCH_FN(composition));
}

}  // namespace

extern const Operator kAddLayerNorm;
const Operator kAddLayerNorm = {kName, kSchema, &implement};

}  // namespace kadvise

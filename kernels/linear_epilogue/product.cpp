#include "kernels/linear_epilogue/product.h"

#include "kernels/common/cuda_library.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

// A matrix whose rows have no gaps within them, and the distance between two of its rows.
struct Matrix {
  Tensor tensor;
  std::int64_t stride;
};

// The distance between rows, where a library of matrix products takes them as they lie.
std::optional<std::int64_t> strideOfRows(std::int64_t rows, std::int64_t columns, std::int64_t rowStride,
                                         std::int64_t columnStride) {
  if (columns > 1 && columnStride != 1) return std::nullopt;
  if (rows == 1) return columns;  // never taken
  return rowStride >= columns ? std::optional(rowStride) : std::nullopt;
}

Matrix rowsOf(const Tensor& x) {
  Tensor rows = x.dim() == 2 ? x : x.reshape({-1, x.size(-1)});
  const auto stride = strideOfRows(rows.size(0), rows.size(1), rows.stride(0), rows.stride(1));
  if (stride) return {rows, *stride};
  rows = rows.contiguous();
  return {rows, rows.size(1)};
}

struct Weight {
  Matrix matrix;
  bool transposed;
};

// Weights may also lie as inputs by outputs, as GPT-2 has them.
Weight weightOf(const Tensor& w) {
  const auto straight = strideOfRows(w.size(0), w.size(1), w.stride(0), w.stride(1));
  if (straight) return {{w, *straight}, false};
  const auto turned = strideOfRows(w.size(1), w.size(0), w.stride(1), w.stride(0));
  if (turned) return {{w, *turned}, true};
  return {{w.contiguous(), w.size(1)}, false};
}

bool fits(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
  return x.is_cuda() && kernelDtype(x.scalar_type()) && isLike(weight, x) && x.dim() >= 2 &&
         weight.dim() == 2 && x.size(-1) == weight.size(1) && x.numel() > 0 && weight.numel() > 0 &&
         (!isThere(bias) || (isLike(*bias, x) && bias->dim() == 1 && bias->size(0) == weight.size(0)));
}

at::DimVector resultSizes(const Tensor& x, const Tensor& weight) {
  at::DimVector sizes(x.sizes().begin(), x.sizes().end());
  sizes.back() = weight.size(0);
  return sizes;
}

// Settings that cuBLASLt would have to be told of in ways that are not offered here.
bool obeysSettings(at::ScalarType dtype) {
  const at::Context& settings = at::globalContext();
  if (settings._SMCarveout_EXPERIMENTAL()) return false;
  return dtype != at::kHalf || !settings.allowFP16AccumulationCuBLAS();
}

SplitSums splitSumsFor(at::ScalarType dtype) {
  if (dtype == at::kFloat) return SplitSums::InAnyDtype;
  const at::Context& settings = at::globalContext();
  const auto option =
      dtype == at::kHalf ? settings.allowFP16ReductionCuBLAS() : settings.allowBF16ReductionCuBLAS();
  switch (option) {
    case at::CuBLASReductionOption::AllowReducedPrecisionWithSplitK:
      return SplitSums::InAnyDtype;
    case at::CuBLASReductionOption::DisallowReducedPrecisionAllowSplitK:
      return SplitSums::InFloat;
    case at::CuBLASReductionOption::DisallowReducedPrecisionDisallowSplitK:
      return SplitSums::Never;
  }
  return SplitSums::Never;
}

bool inTf32(at::ScalarType dtype) {
  return dtype == at::kFloat &&
         at::globalContext().float32Precision(at::Float32Backend::CUDA, at::Float32Op::MATMUL) ==
             at::Float32Precision::TF32;
}

// Enqueues the product; false where the library has no algorithm for it.
bool enqueue(const LinearArgs& args, const Tensor& result) {
  static auto* const plan = reinterpret_cast<KadviseCudaLinearPlan*>(cudaSymbol("kadvise_cuda_linear_plan"));
  static auto* const start = reinterpret_cast<KadviseCudaLinear*>(cudaSymbol("kadvise_cuda_linear"));
  LinearPlan found;
  if (plan(&args, &found) == 0) return false;
  Tensor workspace;
  if (found.workspaceBytes > 0)
    workspace = at::empty({found.workspaceBytes}, result.options().dtype(at::kByte));
  const char* problem = start(&args, &found, workspace.defined() ? workspace.mutable_data_ptr() : nullptr,
                              currentStream(result.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return true;
}

}  // namespace

std::optional<Tensor> linearWithEpilogue(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                                         const MaybeTensor& z, Epilogue epilogue) {
  const auto dtype = x.scalar_type();
  if (!fits(x, weight, bias) || !obeysSettings(dtype)) return std::nullopt;
  const auto sizes = resultSizes(x, weight);
  if (isThere(z) && (!isLike(*z, x) || z->sizes() != sizes)) return std::nullopt;

  const c10::DeviceGuard guard(x.device());
  const Matrix rows = rowsOf(x);
  const Weight factor = weightOf(weight);
  const Tensor vector = contiguousOrNone(bias);
  const Matrix added = isThere(z) ? rowsOf(*z) : Matrix{};
  const Tensor result = at::empty(sizes, x.options());
  const LinearArgs args{rows.tensor.const_data_ptr(),
                        factor.matrix.tensor.const_data_ptr(),
                        dataOrNull(vector),
                        dataOrNull(added.tensor),
                        result.mutable_data_ptr(),
                        rows.tensor.size(0),
                        weight.size(1),
                        weight.size(0),
                        rows.stride,
                        factor.matrix.stride,
                        added.stride,
                        weight.size(0),
                        *kernelDtype(dtype),
                        epilogue,
                        splitSumsFor(dtype),
                        factor.transposed,
                        inTf32(dtype)};
  if (!enqueue(args, result)) return std::nullopt;
  return result;
}

std::optional<Tensor> linearInFloat(const Tensor& x, const Tensor& weight, const MaybeTensor& bias) {
  if (x.scalar_type() != at::kFloat) return std::nullopt;
  return linearWithEpilogue(x, weight, bias, {}, Epilogue::None);
}

c10::SymDimVector productSizes(const char* qualifiedName, const Tensor& x, const Tensor& weight) {
  TORCH_CHECK(x.sym_size(-1) == weight.sym_size(1), qualifiedName, ": x has ", x.sym_size(-1),
              " elements a row, and weight ", weight.sym_size(1));
  c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
  sizes.back() = weight.sym_size(0);
  return sizes;
}

}  // namespace kadvise

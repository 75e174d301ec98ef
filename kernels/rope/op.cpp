// kadvise::rope: rotary position embedding, x * cos + turned(x) * sin.
//
// turned(x) is (-second half, first half) of the first `rotary_dim` elements of the last dimension, or with
// `interleaved` (-x1, x0, -x3, x2, …); elements past rotary_dim are copied. cos and sin are broadcast to
// x[..., :rotary_dim], and x to them where they hold more rows; tables are rotary_dim wide, or of one column
// where all of x is rotated. The result has x's sizes and x's order of dimensions in memory, so that a
// transpose back and a reshape after it stay views. The kernel computes in float and rounds once; what it
// does not serve is the composition: other or mixed dtypes, a last dimension that is not dense, gradients,
// autocast, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"
#include "kernels/rope/launch.h"

#include <ATen/ExpandUtils.h>
#include <ATen/ops/add.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/neg.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/stack.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>

namespace kadvise {
namespace {

void checkWidth(const Tensor& table, const Tensor& x, std::int64_t rotary) {
  if (table.dim() == 0) return;
  const bool ofOneColumn = table.sym_size(-1) == 1 && x.sym_size(-1) == rotary;
  TORCH_CHECK(table.sym_size(-1) == rotary || ofOneColumn, "kadvise::rope: a table is ", table.sym_size(-1),
              " wide, rotary_dim is ", rotary, " and x is ", x.sym_size(-1), " wide");
}

void checkRotary(const Tensor& x, const Tensor& cosine, const Tensor& sine, std::int64_t rotary) {
  TORCH_CHECK(x.dim() > 0, "kadvise::rope: x must have at least one dimension");
  TORCH_CHECK(rotary > 0 && rotary % 2 == 0 && x.sym_size(-1) >= rotary, "kadvise::rope: rotary_dim is ",
              rotary, ", but it must be even, above 0, and not above x's last dimension of ", x.sym_size(-1));
  checkWidth(cosine, x, rotary);
  checkWidth(sine, x, rotary);
}

bool hasMoreRows(const Tensor& table, const Tensor& x) {
  if (table.dim() > x.dim()) return true;
  for (std::int64_t i = 2; i <= table.dim(); ++i)
    if (table.sym_size(-i) != 1 && table.sym_size(-i) != x.sym_size(-i)) return true;
  return false;
}

// x, or x once for each row of the tables, as a product with them would read it.
Tensor overTables(const Tensor& x, const Tensor& cosine, const Tensor& sine) {
  c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
  for (const Tensor* table : {&cosine, &sine}) {
    c10::SymDimVector rows(table->sym_sizes().begin(), table->sym_sizes().end());
    if (!rows.empty()) rows.back() = 1;
    sizes = at::infer_size_symdimvector(sizes, rows);
  }
  return x.expand_symint(sizes);
}

bool haveMoreRows(const Tensor& cosine, const Tensor& sine, const Tensor& x) {
  return hasMoreRows(cosine, x) || hasMoreRows(sine, x);
}

// cos or sin over x[..., :rotary].
Tensor overRotary(const Tensor& table, const Tensor& x, std::int64_t rotary) {
  c10::SymDimVector sizes(x.sym_sizes().begin(), x.sym_sizes().end());
  sizes.back() = rotary;
  return table.sym_sizes() == c10::SymIntArrayRef(sizes) ? table : table.expand_symint(sizes);
}

Tensor turned(const Tensor& x, bool interleaved) {
  if (interleaved) {
    return at::stack({at::neg(x.slice(-1, 1, std::nullopt, 2)), x.slice(-1, 0, std::nullopt, 2)}, -1)
        .flatten(-2);
  }
  const auto halves = x.chunk(2, -1);
  return at::cat({at::neg(halves[1]), halves[0]}, -1);
}

Tensor composition(const Tensor& given, const Tensor& cosine, const Tensor& sine, bool interleaved,
                   std::int64_t rotary) {
  checkRotary(given, cosine, sine, rotary);
  const Tensor x = haveMoreRows(cosine, sine, given) ? overTables(given, cosine, sine) : given;
  const bool whole = x.sym_size(-1) == rotary;
  const Tensor part = whole ? x : x.slice(-1, 0, rotary);
  Tensor result = at::add(at::mul(part, overRotary(cosine, x, rotary)),
                          at::mul(turned(part, interleaved), overRotary(sine, x, rotary)));
  if (!whole) result = at::cat({result, x.slice(-1, rotary)}, -1);
  const Tensor wanted = at::empty_like(x, result.scalar_type());
  return result.sym_strides() == wanted.sym_strides() ? result : wanted.copy_(result);
}

// The grid of rows in the order of x's memory; nothing when it has too many dimensions.
std::optional<Grid> gridInMemoryOrder(const Tensor& x, const Tensor& cosine, const Tensor& sine,
                                      const Tensor& result) {
  Grid grid = gridOf({&x, &cosine, &sine, &result}, 1);
  std::stable_sort(grid.begin(), grid.end(),
                   [](const GridDim& a, const GridDim& b) { return a.stride[0] < b.stride[0]; });
  grid = joined(grid, 4);
  if (grid.size() > RopeArgs::kDims) return std::nullopt;
  grid.resize(RopeArgs::kDims);
  return grid;
}

bool isDense(const Tensor& tensor) { return tensor.stride(-1) == 1; }

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& cosine, const Tensor& sine, bool interleaved,
                             std::int64_t rotary) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (haveMoreRows(cosine, sine, x)) return std::nullopt;
  if (!dtype || !isLike(cosine, x) || !isLike(sine, x) || !(isDense(x) || x.size(-1) == 1))
    return std::nullopt;
  const Tensor cosines = overRotary(cosine, x, rotary), sines = overRotary(sine, x, rotary);
  if (!isDense(cosines) || !isDense(sines)) return std::nullopt;
  Tensor result = at::empty_like(x);
  if (result.numel() == 0) return result;
  const auto grid = gridInMemoryOrder(x, cosines, sines, result);
  if (!grid || !isDense(result)) return std::nullopt;

  RopeArgs args{};
  args.x = x.const_data_ptr();
  args.cosine = cosines.const_data_ptr();
  args.sine = sines.const_data_ptr();
  args.result = result.mutable_data_ptr();
  for (int d = 0; d < RopeArgs::kDims; ++d) {
    const GridDim& dim = (*grid)[d];
    args.dims[d] = {dim.size, dim.stride[0], dim.stride[1], dim.stride[2], dim.stride[3]};
  }
  args.length = x.size(-1);
  args.rotary = rotary;
  args.pairs = interleaved ? RopePairs::Neighbours : RopePairs::Halves;
  args.dtype = *dtype;
  static auto* const enqueue = reinterpret_cast<KadviseCudaRope*>(cudaSymbol("kadvise_cuda_rope"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct Rope {
  static constexpr const char* kName = "rope";
  static constexpr const char* kQualifiedName = "kadvise::rope";
  static constexpr const char* kSchema =
      "rope(Tensor x, Tensor cos, Tensor sin, bool interleaved, int rotary_dim) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& cosine, const Tensor& sine, bool interleaved,
                      std::int64_t rotary) {
    return composition(x, cosine, sine, interleaved, rotary);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& cosine, const Tensor& sine, bool interleaved,
                       std::int64_t rotary) {
    if (!x.is_cuda()) return composition(x, cosine, sine, interleaved, rotary);
    checkRotary(x, cosine, sine, rotary);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, cosine, sine, interleaved, rotary);
    return result ? *result : composition(x, cosine, sine, interleaved, rotary);
  }
  static Tensor onMeta(const Tensor& given, const Tensor& cosine, const Tensor& sine, bool,
                       std::int64_t rotary) {
    checkRotary(given, cosine, sine, rotary);
    const Tensor x = haveMoreRows(cosine, sine, given) ? overTables(given, cosine, sine) : given;
    overRotary(cosine, x, rotary);
    overRotary(sine, x, rotary);
    const auto dtype = c10::promoteTypes(at::result_type(x, cosine), at::result_type(x, sine));
    return at::empty_like(x.is_non_overlapping_and_dense() ? x : withoutSymbols(x), dtype);
  }
};

}  // namespace

extern const Operator kRope;
const Operator kRope = Dispatch<Rope>::entry();

}  // namespace kadvise

// kadvise::prefix_scan: running sums, products and logarithms of sums of powers along one dimension, in any
// of the forms that are otherwise made of several operators: from the end (flip, scan, flip), without the
// element itself, of x * mask.
//
// The result has the shape and dtype of cumsum(x * mask), and the layout of x. What the kernels do not serve
// is the composition: other dtypes, a few long rows, layouts in which neither the dimension nor what lies
// beside it is dense, gradients, autocast, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/rows.h"
#include "kernels/common/tensors.h"
#include "kernels/prefix_scan/launch.h"

#include <ATen/ExpandUtils.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/cat.h>
#include <ATen/ops/cumprod.h>
#include <ATen/ops/cumsum.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/full_like.h>
#include <ATen/ops/logcumsumexp.h>
#include <ATen/ops/mul.h>
#include <c10/core/DeviceGuard.h>

#include <limits>

namespace kadvise {
namespace {

struct KindName {
  const char* name;
  ScanKind kind;
  double identity;
};
constexpr KindName kKinds[] = {
    {"sum", ScanKind::Sum, 0},
    {"prod", ScanKind::Product, 1},
    {"logsumexp", ScanKind::LogSumExp, -std::numeric_limits<double>::infinity()},
};

const KindName& kindNamed(c10::string_view name) {
  for (const KindName& kind : kKinds) {
    if (name == kind.name) return kind;
  }
  TORCH_CHECK(false, "kadvise::prefix_scan: there is no kind '", name,
              "'; it must be one of sum, prod, logsumexp");
}

void checkMask(const Tensor& x, const MaybeTensor& mask) {
  TORCH_CHECK(x.is_floating_point(), "kadvise::prefix_scan: x must be floating point");
  TORCH_CHECK(!isThere(mask) || mask->scalar_type() == at::kBool, "kadvise::prefix_scan: mask must be bool");
  TORCH_CHECK(!isThere(mask) || at::infer_size_symdimvector(mask->sym_sizes(), x.sym_sizes()) ==
                                    c10::SymDimVector(x.sym_sizes().begin(), x.sym_sizes().end()),
              "kadvise::prefix_scan: mask must broadcast to x");
}

Tensor scanned(ScanKind kind, const Tensor& x, std::int64_t dim) {
  if (kind == ScanKind::Sum) return at::cumsum(x, dim);
  return kind == ScanKind::Product ? at::cumprod(x, dim) : at::logcumsumexp(x, dim);
}

Tensor composition(const Tensor& x, std::int64_t dim, c10::string_view kindName, bool exclusive, bool reverse,
                   const MaybeTensor& mask) {
  checkMask(x, mask);
  const KindName& kind = kindNamed(kindName);
  dim = at::maybe_wrap_dim(dim, x.dim());
  Tensor values = isThere(mask) ? at::mul(x, *mask) : x;
  if (x.dim() == 0 || x.sym_numel() == 0)
    return exclusive ? at::full_like(values, kind.identity) : at::empty_like(x).copy_(values);
  if (reverse) values = values.flip({dim});
  Tensor result = scanned(kind.kind, values, dim);
  if (exclusive) {
    const Tensor first = at::full_like(result.narrow(dim, 0, 1), kind.identity);
    result = at::cat({first, result.slice_symint(dim, 0, result.sym_size(dim) - 1)}, dim);
  }
  if (reverse) result = result.flip({dim});
  const Tensor wanted = at::empty_like(x, result.options());  // under autocast sums are float32
  return result.sym_strides() == wanted.sym_strides() ? result : wanted.copy_(result);
}

// Of fewer rows, longer ones are not worth a block each; torch splits those of one row.
constexpr std::int64_t kFewRows = 32, kLongRow = std::int64_t{1} << 16;

// The tensors as rows, along or beside which the scan goes; the mask last, where there is one.
std::optional<PrefixScanArgs> rowsOfScan(const Tensor& x, const Tensor& result, const Tensor& mask,
                                         std::int64_t dim) {
  PrefixScanArgs args{};
  const auto last = [&](const Tensor& t) { return t.movedim(dim, -1); };
  const auto beside = [&](const Tensor& t) { return t.select(dim, 0); };
  const bool isMasked = mask.defined();
  const auto take = [&](const auto& view, const auto& rowsOfAll) -> std::optional<Rows> {
    const Tensor r = view(result), v = view(x), m = isMasked ? view(mask) : Tensor();
    return isMasked ? rowsOfAll({&r, &v, &m}) : rowsOfAll({&r, &v});
  };
  using Tensors = std::initializer_list<const Tensor*>;
  auto rows = take(last, [](Tensors tensors) { return rowsOf(tensors, 1); });
  if (!rows) {
    rows = take(beside, [](Tensors tensors) { return longestRows(tensors); });
    if (!rows) return std::nullopt;
    args.steps = x.size(dim);
    args.xStep = x.stride(dim);
    args.resultStep = result.stride(dim);
    args.maskStep = isMasked ? mask.stride(dim) : 0;
  } else if (rows->grid.count < kFewRows && rows->length > kLongRow) {
    return std::nullopt;
  }
  args.grid = rows->grid;
  args.length = rows->length;
  args.resultStride = rows->stride[0];
  args.xStride = rows->stride[1];
  args.maskStride = isMasked ? rows->stride[2] : RowStride{0, 0};
  return args;
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, std::int64_t dim, const KindName& kind, bool exclusive,
                             bool reverse, const MaybeTensor& maybeMask) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype || x.dim() == 0 || (isThere(maybeMask) && maybeMask->device() != x.device()))
    return std::nullopt;
  const Tensor mask = isThere(maybeMask) ? expanded(*maybeMask, x.sizes()) : Tensor();
  Tensor result = at::empty_like(x);
  if (result.numel() == 0) return result;
  auto args = rowsOfScan(x, result, mask, dim);
  if (!args) return std::nullopt;
  args->x = x.const_data_ptr();
  args->mask = mask.defined() ? mask.const_data_ptr<bool>() : nullptr;
  args->result = result.mutable_data_ptr();
  args->kind = kind.kind;
  args->dtype = *dtype;
  args->exclusive = exclusive;
  args->reverse = reverse;
  static auto* const scratchBytes =
      reinterpret_cast<KadviseCudaPrefixScanScratch*>(cudaSymbol("kadvise_cuda_prefix_scan_scratch"));
  Tensor scratch;
  if (const std::int64_t bytes = scratchBytes(&*args); bytes > 0) {
    scratch = at::empty({bytes}, x.options().dtype(at::kByte));
    args->scratch = scratch.mutable_data_ptr();
  }
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaPrefixScan*>(cudaSymbol("kadvise_cuda_prefix_scan"));
  const char* problem = enqueue(&*args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct PrefixScan {
  static constexpr const char* kName = "prefix_scan";
  static constexpr const char* kQualifiedName = "kadvise::prefix_scan";
  static constexpr const char* kSchema =
      "prefix_scan(Tensor x, int dim, str kind, bool exclusive, bool reverse, Tensor? mask) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, std::int64_t dim, c10::string_view kind, bool exclusive, bool reverse,
                      const MaybeTensor& mask) {
    return composition(x, dim, kind, exclusive, reverse, mask);
  }
  static Tensor onCuda(const Tensor& x, std::int64_t dim, c10::string_view kind, bool exclusive, bool reverse,
                       const MaybeTensor& mask) {
    if (!x.is_cuda()) return composition(x, dim, kind, exclusive, reverse, mask);
    checkMask(x, mask);
    const KindName& known = kindNamed(kind);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, at::maybe_wrap_dim(dim, x.dim()), known, exclusive, reverse, mask);
    return result ? *result : composition(x, dim, kind, exclusive, reverse, mask);
  }
  static Tensor onMeta(const Tensor& x, std::int64_t dim, c10::string_view kind, bool, bool,
                       const MaybeTensor& mask) {
    checkMask(x, mask);
    kindNamed(kind);
    at::maybe_wrap_dim(dim, x.dim());
    return at::empty_like(x.is_non_overlapping_and_dense() ? x : withoutSymbols(x));
  }
};

}  // namespace

extern const Operator kPrefixScan;
const Operator kPrefixScan = Dispatch<PrefixScan>::entry();

}  // namespace kadvise

// kadvise::gather_scatter_add: sums over the edges of a graph of what their sources hold, without the tensor
// of messages: result[target[e]] += scale[e] * x[source[e]] (Kipf, Welling, "Semi-Supervised Classification
// with Graph Convolutional Networks", 2017, equation 2).
//
// x is [nodes, columns], source and target are [edges] of int64, scale is [edges] or [edges, 1], the result
// is [size, columns], contiguous. Edges may come in any order; sorted by target they are fastest. The kernel
// sums in float in no fixed order, as torch's scatter_add does on a GPU. What it does not serve is the
// composition: other or mixed dtypes, deterministic algorithms, gradients, autocast, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/gather_scatter/launch.h"

#include <ATen/Context.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/index_add.h>
#include <ATen/ops/index_select.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

void check(const Tensor& x, const Tensor& source, const Tensor& target, const MaybeTensor& scale,
           const c10::SymInt& size) {
  TORCH_CHECK(x.dim() == 2, "kadvise::gather_scatter_add: x must be [nodes, columns]");
  TORCH_CHECK(source.dim() == 1 && target.dim() == 1 && source.sym_size(0) == target.sym_size(0) &&
                  source.scalar_type() == at::kLong && target.scalar_type() == at::kLong,
              "kadvise::gather_scatter_add: source and target must be int64 of one length");
  TORCH_CHECK(size >= 0, "kadvise::gather_scatter_add: size is ", size);
  if (!isThere(scale)) return;
  const bool isColumn = scale->dim() == 1 || (scale->dim() == 2 && scale->sym_size(1) == 1);
  TORCH_CHECK(isColumn && scale->sym_size(0) == source.sym_size(0),
              "kadvise::gather_scatter_add: scale must hold a number for each edge");
}

at::ScalarType resultDtype(const Tensor& x, const MaybeTensor& scale) {
  return isThere(scale) ? c10::promoteTypes(x.scalar_type(), scale->scalar_type()) : x.scalar_type();
}

Tensor composition(const Tensor& x, const Tensor& source, const Tensor& target, const MaybeTensor& scale,
                   std::int64_t size) {
  check(x, source, target, scale, size);
  Tensor messages = at::index_select(x, 0, source);
  if (isThere(scale)) messages = at::mul(messages, scale->reshape({-1, 1}));
  return at::index_add(at::zeros({size, x.size(1)}, messages.options()), 0, target, messages);
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& source, const Tensor& target,
                             const MaybeTensor& scale, std::int64_t size) {
  const auto dtype = kernelDtype(x.scalar_type());
  if (!dtype || source.device() != x.device() || target.device() != x.device()) return std::nullopt;
  if ((isThere(scale) && !isLike(*scale, x)) || at::globalContext().deterministicAlgorithms())
    return std::nullopt;
  if (x.size(1) > 1 && x.stride(1) != 1) return std::nullopt;
  const Tensor sums = at::zeros({size, x.size(1)}, x.options().dtype(at::kFloat));
  if (sums.numel() == 0 || source.numel() == 0 || x.numel() == 0) {
    if (source.numel() > 0 && sums.numel() == 0)
      return std::nullopt;  // torch says which index is out of range
    if (source.numel() > 0 && x.size(0) == 0) return std::nullopt;
    return sums.to(x.scalar_type());
  }
  const Tensor from = source.contiguous(), to = target.contiguous();
  const Tensor factors = isThere(scale) ? scale->reshape({-1}).contiguous() : Tensor();

  const GatherScatterArgs args{x.const_data_ptr(),
                               from.const_data_ptr<std::int64_t>(),
                               to.const_data_ptr<std::int64_t>(),
                               dataOrNull(factors),
                               sums.mutable_data_ptr<float>(),
                               from.size(0),
                               x.size(1),
                               x.size(0),
                               size,
                               x.stride(0),
                               *dtype};
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaGatherScatter*>(cudaSymbol("kadvise_cuda_gather_scatter"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return sums.to(x.scalar_type());
}

struct GatherScatterAdd {
  static constexpr const char* kName = "gather_scatter_add";
  static constexpr const char* kQualifiedName = "kadvise::gather_scatter_add";
  static constexpr const char* kSchema =
      "gather_scatter_add(Tensor x, Tensor source, Tensor target, Tensor? scale, SymInt size) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;

  static Tensor composition(const Tensor& x, const Tensor& source, const Tensor& target,
                            const MaybeTensor& scale, c10::SymInt size) {
    return kadvise::composition(x, source, target, scale, size.guard_int(__FILE__, __LINE__));
  }
  static Tensor onCpu(const Tensor& x, const Tensor& source, const Tensor& target, const MaybeTensor& scale,
                      std::int64_t size) {
    return kadvise::composition(x, source, target, scale, size);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& source, const Tensor& target, const MaybeTensor& scale,
                       std::int64_t size) {
    if (!x.is_cuda()) return kadvise::composition(x, source, target, scale, size);
    check(x, source, target, scale, size);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, source, target, scale, size);
    return result ? *result : kadvise::composition(x, source, target, scale, size);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& source, const Tensor& target, const MaybeTensor& scale,
                       c10::SymInt size) {
    check(x, source, target, scale, size);
    return at::empty_symint({size, x.sym_size(1)}, x.options().dtype(resultDtype(x, scale)));
  }
};

}  // namespace

extern const Operator kGatherScatterAdd;
const Operator kGatherScatterAdd = Dispatch<GatherScatterAdd>::entry();

}  // namespace kadvise

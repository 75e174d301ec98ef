// kadvise::window_attention: scaled_dot_product_attention of short sequences, such as the windows of Swin
// Transformers (Liu et al., "Swin Transformer: Hierarchical Vision Transformer using Shifted Windows", 2021,
// section 3.2). Queries [batches, heads, queries, width], keys and values alike; the result lies in memory as
// [batches, queries, heads, width], so that joining the heads is a view.
//
// bias [groups, heads or 1, queries or 1, keys or 1] is added to the scores, with fewer dimensions as torch
// broadcasts them; batch b takes the one of b % groups, since the windows of an image have each their own,
// which those of the next image share.
//
// Whatever the kernel does not serve is torch's operator, with the bias repeated: batches or heads that
// broadcast, float, sequences of more than 64 keys, heads of more than 64 elements or an odd number of them,
// rows that do not begin at 4 bytes, gradients, autocast, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"
#include "kernels/window_attention/launch.h"

#include <ATen/ops/empty.h>
#include <ATen/ops/scaled_dot_product_attention.h>
#include <c10/core/DeviceGuard.h>

#include <algorithm>
#include <cmath>

namespace kadvise {
namespace {

using MaybeScale = std::optional<double>;

// With all four dimensions.
MaybeTensor wholeBias(const MaybeTensor& bias) {
  if (!isThere(bias)) return std::nullopt;
  Tensor whole = *bias;
  while (whole.dim() < 4) whole = whole.unsqueeze(0);
  return whole;
}

// Whether batches and heads are the same everywhere; torch's operator broadcasts others, or says what is
// wrong.
bool areWindows(const Tensor& q, const Tensor& k, const Tensor& v) {
  return q.dim() == 4 && k.dim() == 4 && v.dim() == 4 && q.sym_size(0) == k.sym_size(0) &&
         q.sym_size(0) == v.sym_size(0) && q.sym_size(1) == k.sym_size(1) && q.sym_size(1) == v.sym_size(1) &&
         k.sym_size(2) == v.sym_size(2) && q.sym_size(3) == k.sym_size(3);
}

// bias: whole, of any number of groups that divides the batches.
bool isBiasOf(const Tensor& bias, const Tensor& q, const Tensor& k) {
  if (bias.dim() != 4 || bias.scalar_type() != q.scalar_type()) return false;
  if (bias.sym_size(0) <= 0 || q.sym_size(0) % bias.sym_size(0) != 0) return false;
  const c10::SymInt full[] = {q.sym_size(1), q.sym_size(2), k.sym_size(2)};
  for (int d = 1; d < 4; ++d)
    if (bias.sym_size(d) != 1 && bias.sym_size(d) != full[d - 1]) return false;
  return true;
}

// Rows begin at so many elements of 16 bits and have no gaps.
bool hasRowsAt(std::int64_t chunk, const Tensor& t) {
  for (int d = 0; d < 3; ++d)
    if (t.size(d) != 1 && t.stride(d) % chunk != 0) return false;
  const auto bytes = static_cast<std::uintptr_t>(2 * chunk);
  return t.stride(3) == 1 && reinterpret_cast<std::uintptr_t>(t.const_data_ptr()) % bytes == 0;
}

// cuDNN's kernel, which torch prefers, does not look where rows begin; it does not take widths of which a
// copy would begin elsewhere, too. Fake tensors have no rows.
Tensor forTorch(const Tensor& t) {
  const bool isReal = t.dim() == 4 && t.is_cuda() && !t.key_set().has(c10::DispatchKey::Python);
  const bool isLost = isReal && t.sym_size(3) % kWindowChunk == 0 && !hasRowsAt(kWindowChunk, t);
  return !isLost ? t : t.clone(at::MemoryFormat::Contiguous);
}

// torch 2.11 gives wrong numbers or stops at a misaligned address where a mask broadcasts along queries or
// keys and its rows are no multiple of 16 bytes (cuDNN's kernel; seen with a bias of one number and 150
// keys): it gets the bias whole, unless that were large.
constexpr std::int64_t kMostWholeBias = 1 << 26;

// Repeated for each image.
Tensor biasForTorch(const Tensor& bias, const Tensor& q, const Tensor& k) {
  const c10::SymInt batches = q.sym_size(0), images = batches / bias.sym_size(0);
  const bool isLarge = batches * q.sym_size(1) * q.sym_size(2) * k.sym_size(2) > kMostWholeBias;
  if (isLarge) return bias.sym_size(0) == 1 ? bias : bias.repeat_symint({images, 1, 1, 1});
  return bias.expand_symint({bias.sym_size(0), q.sym_size(1), q.sym_size(2), k.sym_size(2)})
      .repeat_symint({images, 1, 1, 1});
}

Tensor composition(const Tensor& q, const Tensor& k, const Tensor& v, const MaybeTensor& given, bool causal,
                   MaybeScale scale) {
  MaybeTensor bias = given;
  const MaybeTensor whole = wholeBias(given);
  if (areWindows(q, k, v) && isThere(whole) && isBiasOf(*whole, q, k)) bias = biasForTorch(*whole, q, k);
  const Tensor result =
      at::scaled_dot_product_attention(forTorch(q), forTorch(k), forTorch(v), bias, 0.0, causal, scale);
  if (result.dim() != 4) return result;
  const Tensor rows = result.transpose(1, 2);
  const auto sizes = rows.sym_sizes();
  // Dimensions of one element may have any stride where nothing is copied.
  const bool isAsTold = rows.is_contiguous() && std::find(sizes.begin(), sizes.end(), 1) == sizes.end();
  return (isAsTold ? rows : rows.clone(at::MemoryFormat::Contiguous)).transpose(1, 2);
}

Tensor emptyWindows(const Tensor& q, const Tensor& v) {
  return at::empty_symint({q.sym_size(0), q.sym_size(2), q.sym_size(1), v.sym_size(3)}, q.options())
      .transpose(1, 2);
}

WindowAttentionArgs::Rows rowsOf(const Tensor& t) {
  const auto stride = [&](int d) { return t.size(d) == 1 ? 0 : t.stride(d); };
  return {t.const_data_ptr(), stride(0), stride(1), stride(2)};
}

bool fitsKernel(const Tensor& q, const Tensor& k, const Tensor& v) {
  const bool is16Bits = q.scalar_type() == at::kHalf || q.scalar_type() == at::kBFloat16;
  return is16Bits && areWindows(q, k, v) && k.size(2) > 0 && k.size(2) <= kMostWindowKeys &&
         q.size(3) == v.size(3) && q.size(3) > 0 && q.size(3) <= kMostWindowWidth &&
         q.size(0) * q.size(1) * (q.size(2) / kWindowBlockQueries + 1) <= INT32_MAX;
}

// What q, k and v can be moved by; 0: by nothing that there is a kernel for.
int chunkOf(const Tensor& q, const Tensor& k, const Tensor& v) {
  for (const int chunk : {kWindowChunk, kWindowWord}) {
    const bool isFor =
        q.size(3) % chunk == 0 && hasRowsAt(chunk, q) && hasRowsAt(chunk, k) && hasRowsAt(chunk, v);
    if (isFor) return chunk;
  }
  return 0;
}

// The result of a kernel, or nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& q, const Tensor& k, const Tensor& v, const MaybeTensor& bias,
                             bool causal, MaybeScale scale) {
  if (!fitsKernel(q, k, v) || !isLike(k, q) || !isLike(v, q)) return std::nullopt;
  if (isThere(bias) && (causal || !isLike(*bias, q) || !isBiasOf(*bias, q, k))) return std::nullopt;
  const int chunk = chunkOf(q, k, v);
  if (chunk == 0) return std::nullopt;
  Tensor result = emptyWindows(q, v);
  if (result.numel() == 0) return result;
  WindowAttentionArgs args{
      rowsOf(q),
      rowsOf(k),
      rowsOf(v),
      nullptr,
      0,
      0,
      0,
      0,
      result.mutable_data_ptr(),
      q.size(0),
      1,
      static_cast<std::int32_t>(q.size(1)),
      static_cast<std::int32_t>(q.size(2)),
      static_cast<std::int32_t>(k.size(2)),
      static_cast<std::int32_t>(q.size(3)),
      chunk,
      static_cast<float>(scale.value_or(1.0 / std::sqrt(static_cast<double>(q.size(3))))),
      causal ? 1 : 0,
      *kernelDtype(q.scalar_type())};
  if (isThere(bias)) {
    const auto stride = [&](int d) { return bias->size(d) == 1 ? 0 : bias->stride(d); };
    args.bias = bias->const_data_ptr();
    args.groups = bias->size(0);
    args.biasGroup = stride(0), args.biasHead = stride(1), args.biasQuery = stride(2),
    args.biasKey = stride(3);
  }
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaWindowAttention*>(cudaSymbol("kadvise_cuda_window_attention"));
  const char* problem = enqueue(&args, currentStream(q.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct WindowAttentionOp {
  static constexpr const char* kName = "window_attention";
  static constexpr const char* kQualifiedName = "kadvise::window_attention";
  static constexpr const char* kSchema =
      "window_attention(Tensor q, Tensor k, Tensor v, Tensor? bias=None, bool causal=False, float? "
      "scale=None) "
      "-> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& q, const Tensor& k, const Tensor& v, const MaybeTensor& bias, bool causal,
                      MaybeScale scale) {
    return composition(q, k, v, bias, causal, scale);
  }
  static Tensor onCuda(const Tensor& q, const Tensor& k, const Tensor& v, const MaybeTensor& given,
                       bool causal, MaybeScale scale) {
    const c10::DeviceGuard guard(q.device());
    const auto result = launch(q, k, v, wholeBias(given), causal, scale);
    return result ? *result : composition(q, k, v, given, causal, scale);
  }
  static Tensor onMeta(const Tensor& q, const Tensor& k, const Tensor& v, const MaybeTensor& bias,
                       bool causal, MaybeScale scale) {
    return areWindows(q, k, v) ? emptyWindows(q, v) : composition(q, k, v, bias, causal, scale);
  }
};

}  // namespace

extern const Operator kWindowAttention;
const Operator kWindowAttention = Dispatch<WindowAttentionOp>::entry();

}  // namespace kadvise

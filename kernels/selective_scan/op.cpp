// kadvise::selective_scan: the recurrence of a selective state-space model along time, with its
// discretisation before and its skip connection and gate behind (Gu, Dao, "Mamba: Linear-Time Sequence
// Modeling with Selective State Spaces", 2023, algorithm 2).
//
// x and dt are [batch, channel, time], A is [channel, state], B and C are [batch, state, time], D and dt_bias
// are [channel], z is like x. The states begin at 0 and are held in float; launch.h has the formulas. The
// result has the dtype that x, D and z promote to, and is contiguous, or has its channels dense where x has.
// What the kernel does not serve is the composition, a loop over the times: other or mixed dtypes, more than
// kMostStates states, gradients, autocast, the CPU, other devices.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/sequence.h"
#include "kernels/common/tensors.h"
#include "kernels/selective_scan/launch.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/add.h>
#include <ATen/ops/exp.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/result_type.h>
#include <ATen/ops/silu.h>
#include <ATen/ops/softplus.h>
#include <ATen/ops/stack.h>
#include <ATen/ops/sum.h>
#include <ATen/ops/zeros.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

void checkSizes(const char* name, const Tensor& tensor, std::initializer_list<c10::SymInt> sizes) {
  TORCH_CHECK(tensor.sym_sizes() == c10::SymIntArrayRef(sizes), "kadvise::selective_scan: ", name, " is of ",
              tensor.sym_sizes(), ", x and A want ", c10::SymIntArrayRef(sizes));
}

void check(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B, const Tensor& C,
           const MaybeTensor& D, const MaybeTensor& z, const MaybeTensor& bias) {
  TORCH_CHECK(x.dim() == 3 && A.dim() == 2,
              "kadvise::selective_scan: x must be [batch, channel, time] and A [channel, state]");
  const auto batches = x.sym_size(0), channels = x.sym_size(1), length = x.sym_size(2),
             states = A.sym_size(1);
  checkSizes("dt", dt, {batches, channels, length});
  checkSizes("A", A, {channels, states});
  checkSizes("B", B, {batches, states, length});
  checkSizes("C", C, {batches, states, length});
  if (isThere(D)) checkSizes("D", *D, {channels});
  if (isThere(z)) checkSizes("z", *z, {batches, channels, length});
  if (isThere(bias)) checkSizes("dt_bias", *bias, {channels});
}

at::ScalarType resultDtype(const Tensor& x, const MaybeTensor& D, const MaybeTensor& z) {
  auto dtype = x.scalar_type();
  if (isThere(D)) dtype = c10::promoteTypes(dtype, D->scalar_type());
  if (isThere(z)) dtype = c10::promoteTypes(dtype, z->scalar_type());
  return dtype;
}

// double where any tensor is, else float: nothing is rounded to 16 bits between.
at::ScalarType stateDtype(std::initializer_list<const Tensor*> tensors) {
  auto dtype = at::kFloat;
  for (const Tensor* tensor : tensors) {
    if (tensor->scalar_type() == at::kDouble) dtype = at::kDouble;
  }
  return dtype;
}

Tensor composition(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B, const Tensor& C,
                   const MaybeTensor& D, const MaybeTensor& z, const MaybeTensor& bias, bool softplus) {
  check(x, dt, A, B, C, D, z, bias);
  const auto dtype = resultDtype(x, D, z);
  if (x.numel() == 0) return emptySequence(x, dtype);
  const auto wide = stateDtype({&x, &dt, &A, &B, &C});
  Tensor steps = dt.to(wide);
  if (isThere(bias)) steps = at::add(steps, bias->to(wide).unsqueeze(-1));
  if (softplus) steps = at::softplus(steps);
  const Tensor wideX = x.to(wide), decay = A.to(wide), in = B.to(wide), out = C.to(wide);
  const Tensor input = at::mul(steps, wideX);
  Tensor h = at::zeros({x.size(0), x.size(1), A.size(1)}, x.options().dtype(wide));
  std::vector<Tensor> results;
  for (std::int64_t t = 0; t < x.size(2); ++t) {
    const auto at = [&](const Tensor& sequence) { return sequence.select(2, t); };
    h = at::add(at::mul(at::exp(at::mul(at(steps).unsqueeze(-1), decay)), h),
                at::mul(at(input).unsqueeze(-1), at(in).unsqueeze(1)));
    results.push_back(at::sum(at::mul(h, at(out).unsqueeze(1)), -1));
  }
  Tensor y = at::stack(results, -1);
  if (isThere(D)) y = at::add(y, at::mul(wideX, D->to(wide).unsqueeze(-1)));
  if (isThere(z)) y = at::mul(y, at::silu(z->to(wide)));
  return asSequence(y.to(dtype), x);
}

ScanTensor scanTensor(const Tensor& t) { return {t.const_data_ptr(), t.stride(0), t.stride(1), t.stride(2)}; }

// A vector or matrix of parameters as dense floats; an undefined one stays so.
Tensor asFloats(const MaybeTensor& tensor) {
  return isThere(tensor) ? tensor->to(at::kFloat).contiguous() : Tensor();
}
const float* floatsOrNull(const Tensor& tensor) { return static_cast<const float*>(dataOrNull(tensor)); }

// float and 16 bits are widened without loss; a double would be rounded.
bool isServed(const MaybeTensor& parameter, const Tensor& x) {
  return !isThere(parameter) || (kernelDtype(parameter->scalar_type()) && parameter->device() == x.device());
}

// Nothing when only the composition can serve it.
std::optional<Tensor> launch(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B,
                             const Tensor& C, const MaybeTensor& D, const MaybeTensor& z,
                             const MaybeTensor& bias, bool softplus) {
  const auto dtype = kernelDtype(x.scalar_type()), to = kernelDtype(resultDtype(x, D, z));
  if (!dtype || !to || (*to != *dtype && *to != Dtype::Float)) return std::nullopt;
  if (!isLike(dt, x) || !isLike(B, x) || !isLike(C, x) || (isThere(z) && !isLike(*z, x))) return std::nullopt;
  if (!isServed(A, x) || !isServed(D, x) || !isServed(bias, x)) return std::nullopt;
  if (A.size(1) < 1 || A.size(1) > kMostStates) return std::nullopt;
  Tensor result = emptySequence(x, resultDtype(x, D, z));
  if (result.numel() == 0) return result;

  const Tensor decay = asFloats(A), skip = asFloats(D), offset = asFloats(bias);
  SelectiveScanArgs args{};
  args.x = scanTensor(x);
  args.dt = scanTensor(dt);
  args.B = scanTensor(B);
  args.C = scanTensor(C);
  if (isThere(z)) args.z = scanTensor(*z);
  args.result = {result.mutable_data_ptr(), result.stride(0), result.stride(1), result.stride(2)};
  args.A = floatsOrNull(decay);
  args.D = floatsOrNull(skip);
  args.bias = floatsOrNull(offset);
  args.batches = x.size(0);
  args.channels = x.size(1);
  args.length = x.size(2);
  args.states = static_cast<std::int32_t>(A.size(1));
  args.dtype = *dtype;
  args.resultDtype = *to;
  args.softplus = softplus;
  static auto* const enqueue =
      reinterpret_cast<KadviseCudaSelectiveScan*>(cudaSymbol("kadvise_cuda_selective_scan"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

struct SelectiveScan {
  static constexpr const char* kName = "selective_scan";
  static constexpr const char* kQualifiedName = "kadvise::selective_scan";
  static constexpr const char* kSchema =
      "selective_scan(Tensor x, Tensor dt, Tensor A, Tensor B, Tensor C, Tensor? D, Tensor? z, "
      "Tensor? dt_bias, bool softplus) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;

  static Tensor onCpu(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B, const Tensor& C,
                      const MaybeTensor& D, const MaybeTensor& z, const MaybeTensor& bias, bool softplus) {
    return composition(x, dt, A, B, C, D, z, bias, softplus);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B, const Tensor& C,
                       const MaybeTensor& D, const MaybeTensor& z, const MaybeTensor& bias, bool softplus) {
    if (!x.is_cuda()) return composition(x, dt, A, B, C, D, z, bias, softplus);
    check(x, dt, A, B, C, D, z, bias);
    const c10::DeviceGuard guard(x.device());
    const auto result = launch(x, dt, A, B, C, D, z, bias, softplus);
    return result ? *result : composition(x, dt, A, B, C, D, z, bias, softplus);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& dt, const Tensor& A, const Tensor& B, const Tensor& C,
                       const MaybeTensor& D, const MaybeTensor& z, const MaybeTensor& bias, bool) {
    check(x, dt, A, B, C, D, z, bias);
    return emptySequence(x, resultDtype(x, D, z));
  }
};

}  // namespace

extern const Operator kSelectiveScan;
const Operator kSelectiveScan = Dispatch<SelectiveScan>::entry();

}  // namespace kadvise

// kadvise::conv2d_relu and kadvise::conv2d_add_relu: relu(conv2d(x, weight, bias)), and relu(conv2d(x,
// weight, bias) + alpha * z), new or in place (see MaybeInto), with the rest in the convolution's epilogue
// where cuDNN has it. Everywhere else they are the operators in a row: the CPU, depthwise convolutions (torch
// has faster kernels), other or mixed dtypes, gradients, autocast.
//
// The result is channels_last where x or weight is, and else contiguous. There is no kernel of ours.
#include "kernels/common/dispatch.h"
#include "kernels/common/sum_into.h"
#include "kernels/common/tensors.h"

#include <ATen/Context.h>
#include <ATen/ops/add.h>
#include <ATen/ops/conv2d.h>
#include <ATen/ops/cudnn_convolution_add_relu.h>
#include <ATen/ops/cudnn_convolution_relu.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/relu.h>

namespace kadvise {
namespace {

using at::IntArrayRef;
using MaybeScalar = std::optional<at::Scalar>;

at::MemoryFormat formatOf(const Tensor& x, const Tensor& weight) {
  const auto last = at::MemoryFormat::ChannelsLast;
  return x.suggest_memory_format() == last || weight.suggest_memory_format() == last
             ? last
             : at::MemoryFormat::Contiguous;
}

// The tensor in a layout. A tensor without the batch dimension has no channels_last.
Tensor inFormat(const Tensor& tensor, at::MemoryFormat format) {
  return tensor.contiguous(tensor.dim() == 4 ? format : at::MemoryFormat::Contiguous);
}

// In float32 the bias comes last: a sum that starts with a large one, as a folded batch norm's may be, rounds
// every small product to its size. Reduced dtypes are summed in float32, and a second step would round twice.
Tensor convolution(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
  const bool separable = isThere(bias) && x.scalar_type() == at::kFloat &&
                         bias->scalar_type() == at::kFloat && bias->dim() == 1 &&
                         bias->size(0) == weight.size(0);
  if (!separable) return at::conv2d(x, weight, bias, stride, padding, dilation, groups);
  return at::conv2d(x, weight, {}, stride, padding, dilation, groups).add_(bias->view({-1, 1, 1}));
}

Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                   IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
  const Tensor result = convolution(x, weight, bias, stride, padding, dilation, groups);
  return inFormat(at::relu(result), formatOf(x, weight));
}

Tensor addComposition(const Tensor& x, const Tensor& weight, const Tensor& z, const MaybeScalar& alpha,
                      const MaybeTensor& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                      std::int64_t groups, const MaybeInto& into) {
  const Tensor result = convolution(x, weight, bias, stride, padding, dilation, groups);
  checkSumInto("kadvise::conv2d_add_relu", into, result, z);
  return inFormat(at::relu(at::add(result, z, alpha.value_or(1))), formatOf(x, weight));
}

// One number for both dimensions, as conv2d takes it.
at::DimVector two(IntArrayRef values) {
  return values.size() == 1 ? at::DimVector(2, values[0]) : at::DimVector(values.begin(), values.end());
}

// Rows or columns of the result, along dimension 2 or 3.
c10::SymInt extent(const Tensor& x, const Tensor& weight, int dim, IntArrayRef stride, IntArrayRef padding,
                   IntArrayRef dilation) {
  const int i = dim - 2;
  return (x.sym_size(dim) + 2 * padding[i] - dilation[i] * (weight.sym_size(dim) - 1) - 1) / stride[i] + 1;
}

c10::SymDimVector resultSizes(const Tensor& x, const Tensor& weight, IntArrayRef stride, IntArrayRef padding,
                              IntArrayRef dilation) {
  const auto s = two(stride), p = two(padding), d = two(dilation);
  return {x.sym_size(0), weight.sym_size(0), extent(x, weight, 2, s, p, d), extent(x, weight, 3, s, p, d)};
}

bool isBatchOfImages(const Tensor& x, const Tensor& weight, IntArrayRef stride, IntArrayRef padding,
                     IntArrayRef dilation) {
  const auto fits = [](IntArrayRef values) { return values.size() == 1 || values.size() == 2; };
  return x.dim() == 4 && weight.dim() == 4 && fits(stride) && fits(padding) && fits(dilation);
}

// Whether cuDNN's fused call serves it; x.dim() and the like are those of a batch of images.
bool hasEpilogue(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, std::int64_t groups) {
  const bool cudnn = at::globalContext().userEnabledCuDNN() && at::Context::hasCuDNN();
  const bool depthwise = groups > 1 && groups == x.size(1);
  const bool biased = isThere(bias);
  return cudnn && !depthwise && groups > 0 && kernelDtype(x.scalar_type()) && isLike(weight, x) &&
         x.numel() > 0 && weight.numel() > 0 && x.size(1) == weight.size(1) * groups &&
         (!biased || (isLike(*bias, x) && bias->dim() == 1 && bias->size(0) == weight.size(0)));
}

// ---- meta: what torch's own convolution leaves to Python, in plain arithmetic

Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor&, IntArrayRef stride,
              IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
  TORCH_CHECK(isBatchOfImages(x, weight, stride, padding, dilation),
              "kadvise::conv2d_relu: x and weight must have four dimensions to be traced, not ", x.dim(),
              " and ", weight.dim());
  TORCH_CHECK(x.sym_size(1) == weight.sym_size(1) * groups, "kadvise::conv2d_relu: x has ", x.sym_size(1),
              " channels, and weight takes ", weight.sym_size(1) * groups);
  return at::empty_symint(resultSizes(x, weight, stride, padding, dilation), x.options(),
                          formatOf(x, weight));
}

struct Conv2dRelu {
  static constexpr const char* kName = "conv2d_relu";
  static constexpr const char* kQualifiedName = "kadvise::conv2d_relu";
  static constexpr const char* kSchema =
      "conv2d_relu(Tensor x, Tensor weight, Tensor? bias=None, int[2] stride=1, int[2] padding=0, "
      "int[2] dilation=1, int groups=1) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = kadvise::composition;
  static constexpr auto& onMeta = kadvise::onMeta;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                      IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
    return composition(x, weight, bias, stride, padding, dilation, groups);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& weight, const MaybeTensor& bias, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
    if (!x.is_cuda() || !isBatchOfImages(x, weight, stride, padding, dilation) ||
        !hasEpilogue(x, weight, bias, groups)) {
      return composition(x, weight, bias, stride, padding, dilation, groups);
    }
    const auto format = formatOf(x, weight);
    const Tensor result = at::cudnn_convolution_relu(inFormat(x, format), inFormat(weight, format), bias,
                                                     two(stride), two(padding), two(dilation), groups);
    return inFormat(result, format);
  }
};

struct Conv2dAddRelu {
  static constexpr const char* kName = "conv2d_add_relu";
  static constexpr const char* kQualifiedName = "kadvise::conv2d_add_relu";
  static constexpr const char* kSchema =
      "conv2d_add_relu(Tensor x, Tensor weight, Tensor z, Scalar? alpha=None, Tensor? bias=None, "
      "int[2] stride=1, int[2] padding=0, int[2] dilation=1, int groups=1, str? into=None) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;
  static constexpr auto& composition = addComposition;

  static Tensor onCpu(const Tensor& x, const Tensor& weight, const Tensor& z, const MaybeScalar& alpha,
                      const MaybeTensor& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                      std::int64_t groups, const MaybeInto& into) {
    return composition(x, weight, z, alpha, bias, stride, padding, dilation, groups, into);
  }
  static Tensor onCuda(const Tensor& x, const Tensor& weight, const Tensor& z, const MaybeScalar& alpha,
                       const MaybeTensor& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                       std::int64_t groups, const MaybeInto& into) {
    const bool serves =
        x.is_cuda() && isBatchOfImages(x, weight, stride, padding, dilation) &&
        hasEpilogue(x, weight, bias, groups) && isLike(z, x) &&
        z.sym_sizes() == c10::SymIntArrayRef(resultSizes(x, weight, stride, padding, dilation));
    if (!serves) return composition(x, weight, z, alpha, bias, stride, padding, dilation, groups, into);
    const auto format = formatOf(x, weight);
    const Tensor result =
        at::cudnn_convolution_add_relu(inFormat(x, format), inFormat(weight, format), inFormat(z, format),
                                       alpha, bias, two(stride), two(padding), two(dilation), groups);
    return inFormat(result, format);
  }
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const Tensor& z, const MaybeScalar&,
                       const MaybeTensor& bias, IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                       std::int64_t groups, const MaybeInto&) {
    const Tensor sum = kadvise::onMeta(x, weight, bias, stride, padding, dilation, groups);
    TORCH_CHECK(sum.sym_sizes() == z.sym_sizes(), "kadvise::conv2d_add_relu: z is of size ", z.sym_sizes(),
                ", and the convolution of ", sum.sym_sizes());
    return sum;
  }
};

}  // namespace

extern const Operator kConv2dRelu;
const Operator kConv2dRelu = Dispatch<Conv2dRelu>::entry();
extern const Operator kConv2dAddRelu;
const Operator kConv2dAddRelu = Dispatch<Conv2dAddRelu>::entry();

}  // namespace kadvise

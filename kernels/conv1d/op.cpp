// kadvise::conv1d_channels_last and kadvise::conv_transpose1d_channels_last: torch.conv1d and
// torch.conv_transpose1d of a signal [N, C, L] that lies in memory as [N, L, C], with a result that lies so,
// too. torch makes such a signal contiguous first, and cuDNN, whose kernels work along the channels, converts
// it back. Here the signal is an image of one row in channels_last. A signal or a weight that lies otherwise
// is laid out first. There is no kernel of ours.
#include "kernels/common/dispatch.h"
#include "kernels/common/tensors.h"

#include <ATen/ops/conv2d.h>
#include <ATen/ops/conv_transpose2d.h>
#include <ATen/ops/empty.h>

#include <algorithm>
#include <array>

namespace kadvise {
namespace {

using at::IntArrayRef;

constexpr int kRow = 2;  // the dimension of an image that a signal has not

Tensor asImage(const Tensor& signal) {
  return signal.unsqueeze(kRow).contiguous(at::MemoryFormat::ChannelsLast);
}

Tensor asSignal(const Tensor& image) {
  return image.contiguous(at::MemoryFormat::ChannelsLast).squeeze(kRow);
}

// A setting of both dimensions: `row` for the one that the signal has not.
std::array<std::int64_t, 2> both(std::int64_t row, IntArrayRef own) { return {row, own[0]}; }

constexpr std::int64_t kZero[] = {0};
constexpr IntArrayRef kNoPadding(kZero, 1);

struct Settings {
  IntArrayRef stride, padding, outputPadding, dilation;
  std::int64_t groups;
};

void checkCall(const char* name, const Tensor& x, const Tensor& weight, const Settings& s) {
  TORCH_CHECK(x.dim() == 3 && weight.dim() == 3, name, ": x and weight must have three dimensions, not ",
              x.dim(), " and ", weight.dim());
  for (const IntArrayRef values : {s.stride, s.padding, s.outputPadding, s.dilation})
    TORCH_CHECK(values.size() == 1, name,
                ": stride, padding, output_padding and dilation are one number each, not ", values);
  TORCH_CHECK(s.stride[0] > 0 && s.dilation[0] > 0 && s.padding[0] >= 0 && s.groups > 0, name, ": stride ",
              s.stride, ", padding ", s.padding, ", dilation ", s.dilation, " and ", s.groups,
              " groups are out of range");
  TORCH_CHECK(s.outputPadding[0] >= 0 &&
                  (s.outputPadding[0] == 0 || s.outputPadding[0] < std::max(s.stride[0], s.dilation[0])),
              name, ": output_padding ", s.outputPadding, " must be below stride or dilation");
}

void checkChannels(const char* name, const Tensor& x, const c10::SymInt& taken) {
  TORCH_CHECK(x.sym_size(1) == taken, name, ": x has ", x.sym_size(1), " channels, and weight takes ", taken);
}

Tensor emptySignal(const char* name, const Tensor& x, const c10::SymInt& channels,
                   const c10::SymInt& length) {
  TORCH_CHECK(length > 0, name, ": the result would have ", length, " samples");
  return at::empty_symint({x.sym_size(0), channels, 1, length}, x.options(), at::MemoryFormat::ChannelsLast)
      .squeeze(kRow);
}

struct Conv1d {
  static constexpr const char* kName = "conv1d_channels_last";
  static constexpr const char* kQualifiedName = "kadvise::conv1d_channels_last";
  static constexpr const char* kSchema =
      "conv1d_channels_last(Tensor x, Tensor weight, Tensor? bias=None, int[1] stride=1, int[1] padding=0, "
      "int[1] dilation=1, int groups=1) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;

  static Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                            IntArrayRef stride, IntArrayRef padding, IntArrayRef dilation,
                            std::int64_t groups) {
    checkCall(kQualifiedName, x, weight, {stride, padding, kNoPadding, dilation, groups});
    return asSignal(at::conv2d(asImage(x), asImage(weight), bias, both(1, stride), both(0, padding),
                               both(1, dilation), groups));
  }
  static constexpr auto& onCpu = composition;
  static constexpr auto& onCuda = composition;
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor&, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef dilation, std::int64_t groups) {
    checkCall(kQualifiedName, x, weight, {stride, padding, kNoPadding, dilation, groups});
    checkChannels(kQualifiedName, x, weight.sym_size(1) * groups);
    const auto last = x.sym_size(2) + 2 * padding[0] - dilation[0] * (weight.sym_size(2) - 1) - 1;
    TORCH_CHECK(last >= 0, kQualifiedName, ": the kernel is longer than the padded signal");
    return emptySignal(kQualifiedName, x, weight.sym_size(0), last / stride[0] + 1);
  }
};

struct ConvTranspose1d {
  static constexpr const char* kName = "conv_transpose1d_channels_last";
  static constexpr const char* kQualifiedName = "kadvise::conv_transpose1d_channels_last";
  static constexpr const char* kSchema =
      "conv_transpose1d_channels_last(Tensor x, Tensor weight, Tensor? bias=None, int[1] stride=1, "
      "int[1] padding=0, int[1] output_padding=0, int groups=1, int[1] dilation=1) -> Tensor";
  static constexpr UnderAutocast kAutocast = UnderAutocast::LowersFloat;

  static Tensor composition(const Tensor& x, const Tensor& weight, const MaybeTensor& bias,
                            IntArrayRef stride, IntArrayRef padding, IntArrayRef outputPadding,
                            std::int64_t groups, IntArrayRef dilation) {
    checkCall(kQualifiedName, x, weight, {stride, padding, outputPadding, dilation, groups});
    return asSignal(at::conv_transpose2d(asImage(x), asImage(weight), bias, both(1, stride), both(0, padding),
                                         both(0, outputPadding), groups, both(1, dilation)));
  }
  static constexpr auto& onCpu = composition;
  static constexpr auto& onCuda = composition;
  static Tensor onMeta(const Tensor& x, const Tensor& weight, const MaybeTensor&, IntArrayRef stride,
                       IntArrayRef padding, IntArrayRef outputPadding, std::int64_t groups,
                       IntArrayRef dilation) {
    checkCall(kQualifiedName, x, weight, {stride, padding, outputPadding, dilation, groups});
    checkChannels(kQualifiedName, x, weight.sym_size(0));
    const auto reach = dilation[0] * (weight.sym_size(2) - 1);
    return emptySignal(kQualifiedName, x, weight.sym_size(1) * groups,
                       (x.sym_size(2) - 1) * stride[0] - 2 * padding[0] + reach + outputPadding[0] + 1);
  }
};

}  // namespace

extern const Operator kConv1dChannelsLast;
const Operator kConv1dChannelsLast = Dispatch<Conv1d>::entry();
extern const Operator kConvTranspose1dChannelsLast;
const Operator kConvTranspose1dChannelsLast = Dispatch<ConvTranspose1d>::entry();

}  // namespace kadvise

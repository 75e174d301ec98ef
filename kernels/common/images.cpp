#include "kernels/common/images.h"

#include <ATen/ops/empty.h>

namespace kadvise {
namespace {

at::MemoryFormat formatOf(std::size_t dimensions, bool channelsLast) {
  if (!channelsLast) return at::MemoryFormat::Contiguous;
  return dimensions == 4 ? at::MemoryFormat::ChannelsLast : at::MemoryFormat::ChannelsLast3d;
}

}  // namespace

bool isChannelsLast(const Tensor& x) {
  if (x.dim() != 3) {
    const auto format = x.suggest_memory_format();
    return format == at::MemoryFormat::ChannelsLast || format == at::MemoryFormat::ChannelsLast3d;
  }
  const auto sizes = x.sym_sizes(), strides = x.sym_strides();
  return !x.is_contiguous() && strides[1] == 1 && strides[2] == sizes[1] && strides[0] == sizes[1] * sizes[2];
}

Tensor inLayout(const Tensor& x, bool channelsLast) {
  if (channelsLast && x.dim() == 3) return x.transpose(1, 2).contiguous().transpose(1, 2);
  return x.contiguous(formatOf(static_cast<std::size_t>(x.dim()), channelsLast));
}

Tensor emptyImages(c10::SymIntArrayRef sizes, bool channelsLast, const at::TensorOptions& options) {
  if (channelsLast && sizes.size() == 3) {
    return at::empty_symint({sizes[0], sizes[2], sizes[1]}, options).transpose(1, 2);
  }
  return at::empty_symint(sizes, options, formatOf(sizes.size(), channelsLast));
}

}  // namespace kadvise

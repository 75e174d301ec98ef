#include "kernels/common/convolution.h"

#include <algorithm>

namespace kadvise {

using at::IntArrayRef;

namespace {

// As many as x has dimensions, and such as a convolution may have.
bool fits(const ConvolutionSettings& settings, const Tensor& x) {
  const std::int64_t dims = x.dim() - 2;
  const auto areAtLeast = [](IntArrayRef values, std::int64_t least) {
    return *std::min_element(values.begin(), values.end()) >= least;
  };
  const auto are = [&](IntArrayRef values, std::int64_t least) {
    return (values.size() == 1 || static_cast<std::int64_t>(values.size()) == dims) &&
           areAtLeast(values, least);
  };
  const bool padded = settings.sidesDiffer(dims) ? areAtLeast(settings.padding, 0) : are(settings.padding, 0);
  return are(settings.stride, 1) && padded && are(settings.dilation, 1);
}

// Below 1 where the kernel is larger than x.
c10::SymDimVector resultSizes(const Tensor& x, const Tensor& weight, const ConvolutionSettings& s) {
  c10::SymDimVector sizes{x.sym_size(0), weight.sym_size(0)};
  for (std::int64_t i = 0; i < x.dim() - 2; ++i) {
    const auto reach = s.along(s.dilation, i) * (weight.sym_size(i + 2) - 1) + 1;
    // One is added inside: a division rounds to zero, which would make one place of a kernel that has none.
    const auto left = x.sym_size(i + 2) + s.paddedBy(i, x.dim() - 2) - reach;
    sizes.push_back((left + s.along(s.stride, i)) / s.along(s.stride, i));
  }
  return sizes;
}

// With room for the edges: those of 2^12 taps that are 2^17 apart, and as much padding.
bool isCounted(const Tensor& x, const ConvolutionSettings& settings) {
  constexpr std::int64_t kMostPixels = 1 << 30, kMostSetting = 1 << 17;
  const auto below = [](IntArrayRef values, std::int64_t limit) {
    return *std::max_element(values.begin(), values.end()) < limit;
  };
  return below(x.sizes().slice(2), kMostPixels) && below(settings.stride, kMostSetting) &&
         below(settings.padding, kMostSetting) && below(settings.dilation, kMostSetting);
}

}  // namespace

c10::SymDimVector checkedResultSizes(const char* name, const Tensor& x, const Tensor& weight,
                                     const ConvolutionSettings& settings) {
  TORCH_CHECK(fits(settings, x), name, ": stride, padding or dilation do not fit ", x.dim() - 2,
              " dimensions");
  const auto sizes = resultSizes(x, weight, settings);
  for (const c10::SymInt& size : c10::SymIntArrayRef(sizes).slice(2))
    TORCH_CHECK(size.maybe_as_int().value_or(1) > 0, name, ": the kernel is larger than x with its padding");
  return sizes;
}

std::optional<c10::SymDimVector> sizesForKernels(const Tensor& x, const Tensor& weight,
                                                 const MaybeTensor& bias, const ConvolutionSettings& settings,
                                                 at::ScalarType weights) {
  const bool biased = isThere(bias);
  const bool serve =
      x.is_cuda() && kernelDtype(x.scalar_type()) && weight.device() == x.device() &&
      weight.scalar_type() == weights &&
      (!biased || (isLike(*bias, weight) && bias->dim() == 1 && bias->size(0) == weight.size(0))) &&
      x.numel() > 0 && weight.numel() > 0 && fits(settings, x) && isCounted(x, settings);
  if (!serve) return std::nullopt;
  auto sizes = resultSizes(x, weight, settings);
  const auto isEmpty = [](const c10::SymInt& size) { return size.expect_int() < 1; };
  if (std::any_of(sizes.begin(), sizes.end(), isEmpty)) return std::nullopt;
  return sizes;
}

}  // namespace kadvise

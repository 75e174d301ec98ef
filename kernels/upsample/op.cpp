// kadvise::upsample_nearest, upsample_bilinear and upsample_bicubic: images [N, C, H, W] at another size, as
// torch.nn.functional.interpolate makes them.
//
// `size` is that of the result, or where there is none x's times the scale factors. Where factors are given
// they say how far apart the result's elements lie in x, whatever the sizes are, as in torch. The result lies
// in memory as x does. Whatever the kernels do not serve is torch's operator: the CPU, other dtypes,
// gradients, autocast.
#include "kernels/common/cuda_library.h"
#include "kernels/common/dispatch.h"
#include "kernels/common/images.h"
#include "kernels/upsample/dims.h"

#include <ATen/ops/_upsample_nearest_exact2d.h>
#include <ATen/ops/upsample_bicubic2d.h>
#include <ATen/ops/upsample_bilinear2d.h>
#include <ATen/ops/upsample_nearest2d.h>
#include <c10/core/DeviceGuard.h>

namespace kadvise {
namespace {

using MaybeSize = at::OptionalSymIntArrayRef;
using MaybeFactors = std::optional<at::ArrayRef<double>>;
using MaybeFactor = std::optional<double>;

// ---- sizes

void check(const Tensor& x, const MaybeSize& size, const MaybeFactors& factors) {
  TORCH_CHECK(x.dim() == 4, "kadvise::upsample: x must be images [N, C, H, W], and is of size ",
              x.sym_sizes());
  TORCH_CHECK(size || factors, "kadvise::upsample: neither a size nor scale factors are given");
  TORCH_CHECK(!size || size->size() == 2, "kadvise::upsample: the size is not one of two dimensions");
  TORCH_CHECK(!factors || factors->size() == 2, "kadvise::upsample: there must be two scale factors");
}

// Whole factors leave a symbolic size symbolic.
c10::SymInt scaled(const c10::SymInt& size, double factor) {
  constexpr double kMost = 1LL << 31;
  if (factor >= 1 && factor < kMost && factor == std::floor(factor)) {
    return size * static_cast<std::int64_t>(factor);
  }
  const double product = static_cast<double>(size.guard_int(__FILE__, __LINE__)) * factor;
  TORCH_CHECK(product >= 0 && product < kMost, "kadvise::upsample: a scale factor of ", factor,
              " leaves no size");
  return static_cast<std::int64_t>(product);
}

c10::SymDimVector resultSize(const Tensor& x, const MaybeSize& size, const MaybeFactors& factors) {
  check(x, size, factors);
  if (size) return c10::SymDimVector(size->begin(), size->end());
  return {scaled(x.sym_size(2), (*factors)[0]), scaled(x.sym_size(3), (*factors)[1])};
}

MaybeFactor factorOf(const MaybeFactors& factors, std::size_t dim) {
  return factors ? MaybeFactor((*factors)[dim]) : std::nullopt;
}

// ---- the kernels

// What the kernels can count with.
bool isServed(const Tensor& x, c10::SymIntArrayRef size) {
  constexpr std::int64_t kMost = 1 << 30;
  const auto fits = [&](std::int64_t n) { return n >= 1 && n <= kMost; };
  const std::int64_t channels = x.size(1), rows = size[0].expect_int(), columns = size[1].expect_int();
  return x.is_cuda() && kernelDtype(x.scalar_type()) && x.numel() > 0 && fits(channels) && fits(x.size(2)) &&
         fits(x.size(3)) && fits(rows) && fits(columns) && fits(2 * channels * x.size(3)) &&
         fits(2 * channels * columns);  // rows where channels lie together: their bytes are of 32 bits
}

// Nothing when only torch's operator can serve it.
std::optional<Tensor> launch(const Tensor& images, const MaybeSize& size, const MaybeFactors& factors,
                             UpsampleMode mode, Aligned aligned) {
  const auto rowsAndColumns = resultSize(images, size, factors);
  if (!isServed(images, rowsAndColumns)) return std::nullopt;
  // Torch's operators copy then, whatever the factors are.
  if (rowsAndColumns[0] == images.size(2) && rowsAndColumns[1] == images.size(3)) return std::nullopt;

  const bool channelsLast = isChannelsLast(images);
  const Tensor x = inLayout(images, channelsLast);
  const c10::SymInt sizes[] = {x.size(0), x.size(1), rowsAndColumns[0], rowsAndColumns[1]};
  Tensor result = emptyImages(sizes, channelsLast, x.options());
  const auto dim = [&](std::int64_t at) {
    const auto factor = factorOf(factors, static_cast<std::size_t>(at - 2));
    return upsampleDim(mode, aligned, x.size(at), result.size(at), factor);
  };
  UpsampleArgs args{x.const_data_ptr(),
                    result.mutable_data_ptr(),
                    x.size(0),
                    x.size(1),
                    dim(2),
                    dim(3),
                    channelsLast,
                    mode,
                    *kernelDtype(x.scalar_type())};
  static auto* const enqueue = reinterpret_cast<KadviseCudaUpsample*>(cudaSymbol("kadvise_cuda_upsample"));
  const char* problem = enqueue(&args, currentStream(x.device()));
  TORCH_CHECK(problem == nullptr, problem);
  return result;
}

// What the three have in common.
template <class Op, UpsampleMode kMode>
struct Upsample {
  static constexpr UnderAutocast kAutocast = UnderAutocast::KeepsFloat;

  static Tensor onCpu(const Tensor& x, MaybeSize size, MaybeFactors factors, bool option) {
    return Op::composition(x, size, factors, option);
  }
  static Tensor onCuda(const Tensor& x, MaybeSize size, MaybeFactors factors, bool option) {
    const c10::OptionalDeviceGuard guard(at::device_of(x));
    const auto result = launch(x, size, factors, kMode, alignedBy(option));
    return result ? *result : Op::composition(x, size, factors, option);
  }
  static Tensor onMeta(const Tensor& x, MaybeSize size, MaybeFactors factors, bool option) {
    return Op::composition(x, size, factors, option);
  }

 private:
  // option: `exact` of the nearest, `align_corners` of the others.
  static Aligned alignedBy(bool option) {
    if (kMode == UpsampleMode::Nearest) return option ? Aligned::Edges : Aligned::FirstElements;
    return option ? Aligned::Corners : Aligned::Edges;
  }
};

struct UpsampleNearest : Upsample<UpsampleNearest, UpsampleMode::Nearest> {
  static constexpr const char* kName = "upsample_nearest";
  static constexpr const char* kQualifiedName = "kadvise::upsample_nearest";
  static constexpr const char* kSchema =
      "upsample_nearest(Tensor x, SymInt[]? size, float[]? scale_factors, bool exact) -> Tensor";
  static Tensor composition(const Tensor& x, MaybeSize size, MaybeFactors factors, bool exact) {
    const auto sizes = resultSize(x, size, factors);
    const auto rows = factorOf(factors, 0), columns = factorOf(factors, 1);
    return exact ? at::_upsample_nearest_exact2d_symint(x, sizes, rows, columns)
                 : at::upsample_nearest2d_symint(x, sizes, rows, columns);
  }
};

struct UpsampleBilinear : Upsample<UpsampleBilinear, UpsampleMode::Bilinear> {
  static constexpr const char* kName = "upsample_bilinear";
  static constexpr const char* kQualifiedName = "kadvise::upsample_bilinear";
  static constexpr const char* kSchema =
      "upsample_bilinear(Tensor x, SymInt[]? size, float[]? scale_factors, bool align_corners) -> Tensor";
  static Tensor composition(const Tensor& x, MaybeSize size, MaybeFactors factors, bool alignCorners) {
    return at::upsample_bilinear2d_symint(x, resultSize(x, size, factors), alignCorners, factorOf(factors, 0),
                                          factorOf(factors, 1));
  }
};

struct UpsampleBicubic : Upsample<UpsampleBicubic, UpsampleMode::Bicubic> {
  static constexpr const char* kName = "upsample_bicubic";
  static constexpr const char* kQualifiedName = "kadvise::upsample_bicubic";
  static constexpr const char* kSchema =
      "upsample_bicubic(Tensor x, SymInt[]? size, float[]? scale_factors, bool align_corners) -> Tensor";
  static Tensor composition(const Tensor& x, MaybeSize size, MaybeFactors factors, bool alignCorners) {
    return at::upsample_bicubic2d_symint(x, resultSize(x, size, factors), alignCorners, factorOf(factors, 0),
                                         factorOf(factors, 1));
  }
};

}  // namespace

extern const Operator kUpsampleNearest;
const Operator kUpsampleNearest = Dispatch<UpsampleNearest>::entry();
extern const Operator kUpsampleBilinear;
const Operator kUpsampleBilinear = Dispatch<UpsampleBilinear>::entry();
extern const Operator kUpsampleBicubic;
const Operator kUpsampleBicubic = Dispatch<UpsampleBicubic>::entry();

}  // namespace kadvise

#include "profiler/nudge.h"

#include <ATen/ATen.h>

#include "profiler/values.h"

namespace kadvise {
namespace {

constexpr double kRoundings = 4;

double roundingOf(at::ScalarType type, Rounding which) {
  switch (type) {
    case at::kFloat:
      return which == Rounding::OfProducts ? 0x1p-11 : 0x1p-24;
    case at::kHalf:
      return 0x1p-11;
    case at::kBFloat16:
      return 0x1p-8;
    case at::kDouble:
      return 0x1p-53;
    default:
      return 0x1p-24;
  }
}

}  // namespace

at::Tensor nudged(const at::Tensor& t, Rounding which) {
  if (!at::isFloatingType(t.scalar_type())) return t.clone();
  double step = kRoundings * roundingOf(t.scalar_type(), which);
  return laidOutLike(t, [&](const at::Tensor& x) {
    at::Tensor moved = x * (1 + step * at::randn_like(x));
    return at::where(moved.isfinite(), moved, x);
  });
}

}  // namespace kadvise

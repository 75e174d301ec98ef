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

// Numbers that may be places in a table, which a larger move leads out of it; products round few of them.
bool isWhole(const at::Tensor& t) { return t.eq(t.round()).all().item<bool>(); }

}  // namespace

at::Tensor nudged(const at::Tensor& t, Rounding which) {
  if (!at::isFloatingType(t.scalar_type())) return t.clone();
  if (which == Rounding::OfProducts && isWhole(t)) which = Rounding::OfType;
  double step = kRoundings * roundingOf(t.scalar_type(), which);
  return laidOutLike(t, [&](const at::Tensor& x) {
    at::Tensor moved = x * (1 + step * at::randn_like(x));
    return at::where(moved.isfinite(), moved, x);
  });
}

}  // namespace kadvise

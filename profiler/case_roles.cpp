#include "profiler/case_roles.h"

#include <ATen/ATen.h>

#include <cmath>

namespace kadvise {
namespace {

constexpr double kMaskValue = -1e4;

}  // namespace

Role roleOf(const at::Tensor& t) {
  if (!t.defined() || t.layout() != c10::kStrided || t.numel() < 2) return Role::Fixed;
  if (t.scalar_type() == c10::kBool) return Role::Bool;
  if (c10::isIntegralType(t.scalar_type(), false)) return t.dim() > 0 ? Role::Integer : Role::Fixed;
  if (!t.is_floating_point()) return Role::Fixed;
  double low = t.min().item<double>(), high = t.max().item<double>();
  if (!(low > kMaskValue) || !std::isfinite(high)) return Role::AdditiveMask;
  if (t.numel() > 2 && t.eq(low).logical_or_(t.eq(high)).all().item<bool>()) return Role::Fixed;
  return low >= 0 ? Role::Positive : Role::Signed;
}

}  // namespace kadvise

#include "profiler/wrong_original.h"

#include <ATen/ATen.h>

#include "profiler/accuracy.h"
#include "profiler/contract.h"

namespace kadvise {
namespace {

using at::Tensor;

// Of the output's scale, beyond which no digit is left to be judged by. What an original is off by, a
// candidate may be: with more, factors would pass that no rounding makes.
constexpr double kNoDigits = 0.05, kNoDigitsOf16Bits = 0.1;
constexpr double kWorse = 2;  // times the error of the original

}  // namespace

double relativeError(const Tensor& x, const Tensor& y64) {
  return errorsAgainst(x, y64).rmsUlp * epsOf(c10::toRealValueType(x.scalar_type()));
}

bool isWrongItself(const Tensor& x, const Tensor& y64) {
  const auto type = x.scalar_type();
  return relativeError(x, y64) > (type == at::kHalf || type == at::kBFloat16 ? kNoDigitsOf16Bits : kNoDigits);
}

bool isWorse(const Tensor& x, const Tensor& y, const Tensor& y64) {
  return relativeError(y, y64) > kWorse * relativeError(x, y64);
}

bool mayBothBeWrong(const Tensor& x, const Tensor& y, const Tensor& y64) {
  return x.isfinite().all().item<bool>() && !isWrongItself(y, y64);
}

bool isAsTheOriginal(const Tensor& x, const Tensor& y) {
  if (x.is_complex() || specialsBreach(x, y, {}, {})) return false;
  return within(boundsFor(x.scalar_type(), Reference::OriginalOnly),
                errorsAgainst(y, x.to(at::kDouble), x.isfinite()), {}, x.scalar_type());
}

}  // namespace kadvise

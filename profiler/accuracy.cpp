#include "profiler/accuracy.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace kadvise {
namespace {

using at::Tensor;

constexpr std::int64_t kLongestInOrder = 4096;
constexpr std::int64_t kChunkElements = 1 << 23;  // bounds the float64 temporaries to some hundred MB
constexpr std::int64_t kQuantileElements = 1 << 22;
constexpr std::int64_t kLeastRow = 8;
constexpr std::int64_t kFewElements = 64;  // of which the errors of two equally good sides differ by chance
// Rows that are zero in the reference are judged by the scale of the whole output, a thousand times finer.
constexpr double kZeroRowScale = 1e-3;

double chanceOf(const Errors& candidate) { return candidate.count < kFewElements ? 2 : 1; }

// Below this the spacing of the format no longer shrinks.
double smallestNormalOf(c10::ScalarType type) {
  switch (type) {
    case c10::kHalf:
      return std::ldexp(1.0, -14);
    case c10::kBFloat16:
    case c10::kFloat:
      return std::ldexp(1.0, -126);
    default:
      return std::ldexp(1.0, -1022);
  }
}

// Float8 and other narrow types are compared as what they hold; complex as pairs. A last dimension of a few
// elements has no scale of its own: it is taken together with those before it.
Tensor asRows(Tensor t) {
  if (t.is_complex()) t = at::view_as_real(t.resolve_conj());
  std::int64_t length = 1;
  for (std::int64_t d = t.dim(); d > 0 && length < kLeastRow; --d)
    length *= std::max<std::int64_t>(1, t.size(d - 1));
  return t.reshape({-1, length});
}

Tensor finiteOrZero(const Tensor& t) { return at::nan_to_num(t, 0.0, 0.0, 0.0); }

std::int64_t rowsOfChunk(const Tensor& rows) {
  return std::max<std::int64_t>(1, kChunkElements / std::max<std::int64_t>(1, rows.size(1)));
}

// Of a whole output, of which no second one may fit beside it; what is not finite counts as zero.
double rmsOf(const Tensor& rows) {
  double squares = 0;
  for (const Tensor& some : rows.split(rowsOfChunk(rows)))
    squares += finiteOrZero(some.to(at::kDouble)).square_().sum().item<double>();
  return std::sqrt(squares / static_cast<double>(rows.numel()));
}
double spreadOf(const Tensor& rows) {
  double least = std::numeric_limits<double>::infinity(), most = -least;
  for (const Tensor& some : rows.split(rowsOfChunk(rows))) {
    auto [low, high] = at::aminmax(finiteOrZero(some.to(at::kDouble)));
    least = std::min(least, low.item<double>()), most = std::max(most, high.item<double>());
  }
  return most - least;
}

// Sums over chunks of rows.
struct Sums {
  double squares = 0, signedSum = 0, max = 0, dot = 0, norm = 0;
  std::int64_t count = 0;
  std::vector<Tensor> sample;
};

void addChunk(Sums& sums, const Tensor& y, const Tensor& y64, const Tensor& counted, double eps,
              double leastScale, std::int64_t sampleStep) {
  Tensor yd = y.to(at::kDouble), truth = finiteOrZero(y64);
  Tensor use = at::isfinite(yd).logical_and_(at::isfinite(y64));
  if (counted.defined()) use.logical_and_(counted);
  yd = at::where(use, yd, 0.0);
  truth = at::where(use, truth, 0.0);
  Tensor rowScale = finiteOrZero(y64).square().mean(-1, /*keepdim=*/true).sqrt_();
  Tensor unit = at::maximum(truth.abs(), rowScale).clamp_min_(leastScale).mul_(eps);
  Tensor u = (yd - truth).div_(unit);
  sums.signedSum += u.sum().item<double>();
  sums.squares += u.square().sum().item<double>();
  sums.dot += (yd * truth).sum().item<double>();
  sums.norm += truth.square().sum().item<double>();
  sums.count += use.sum().item<std::int64_t>();
  u = u.abs_();
  sums.max = std::max(sums.max, u.max().item<double>());
  sums.sample.push_back(u.masked_select(use).slice(0, 0, std::nullopt, sampleStep));
}

double quantileOf(const std::vector<Tensor>& sample, double q) {
  Tensor all = at::cat(sample);
  if (all.numel() == 0) return 0;
  auto k =
      std::clamp<std::int64_t>(static_cast<std::int64_t>(std::ceil(q * double(all.numel()))), 1, all.numel());
  return std::get<0>(all.kthvalue(k)).item<double>();
}

}  // namespace

double epsOf(c10::ScalarType type) {
  switch (type) {
    case c10::kHalf:
      return std::ldexp(1.0, -10);
    case c10::kBFloat16:
      return std::ldexp(1.0, -7);
    case c10::kFloat:
      return std::ldexp(1.0, -23);
    default:
      return std::ldexp(1.0, -52);
  }
}

Errors errorsAgainst(const Tensor& y, const Tensor& y64, const Tensor& counted) {
  Errors e;
  if (y.numel() == 0) return e;
  Tensor rows = asRows(y), rows64 = asRows(y64).to(at::kDouble), rowsCounted;
  if (counted.defined()) rowsCounted = asRows(counted);
  auto type = c10::toRealValueType(y.scalar_type());
  double eps = epsOf(type);
  std::int64_t perChunk = rowsOfChunk(rows);
  double leastScale = std::max(kZeroRowScale * rmsOf(rows64), smallestNormalOf(type));

  Sums sums;
  std::int64_t step = 1 + rows.numel() / kQuantileElements;
  for (std::int64_t from = 0; from < rows.size(0); from += perChunk) {
    std::int64_t n = std::min(perChunk, rows.size(0) - from);
    addChunk(sums, rows.narrow(0, from, n), rows64.narrow(0, from, n),
             rowsCounted.defined() ? rowsCounted.narrow(0, from, n) : Tensor(), eps, leastScale, step);
  }
  if (sums.count == 0) return e;
  e.count = static_cast<std::int64_t>(sums.count);
  e.rmsUlp = std::sqrt(sums.squares / double(sums.count));
  e.p999Ulp = std::min(sums.max, quantileOf(sums.sample, 0.999));
  e.maxUlp = sums.max;
  e.bias = sums.signedSum / double(sums.count);
  e.scale = sums.norm > 0 ? sums.dot / sums.norm : 1;
  return e;
}

Bounds boundsFor(c10::ScalarType type, Reference reference) {
  Bounds b;
  bool half = type == c10::kHalf || type == c10::kBFloat16;
  if (half) b.rms = 2, b.p999 = 3, b.max = 6;
  // Without a reference the original's error is unknown, and the floor has to hold all of it: about what a
  // reordered reduction of some thousand elements costs.
  if (reference == Reference::OriginalOnly) {
    b.floorRmsUlp = b.floorScaleUlp = half ? 2 : 16;
    b.floorP999Ulp = half ? 4 : 64;
    b.floorMaxUlp = half ? 8 : 256;
  }
  // In float64 the reference is no more exact than the two it judges; reordering stays within 1e-12 of the
  // scale, and a wrong formula does not.
  if (c10::toRealValueType(type) == c10::kDouble)
    b.floorRmsUlp = b.floorP999Ulp = b.floorMaxUlp = b.floorScaleUlp = 4096;
  return b;
}

// One accumulator that takes n terms of either sign in order is off by 0.15 sqrt(n) ulp of the sum, root mean
// square: each addition rounds to a uniform 0.21 ulp of what it has so far (Higham, "Accuracy and Stability
// of Numerical Algorithms", 2002, section 4.2, by variances). One element in a thousand is 3.3 times as far
// off, the worst of a million 5 times. Longer sums are added up in parts by every kernel there is, and 16-bit
// types in float32, where their error is none of summing.
Bounds withSums(Bounds b, c10::ScalarType type, std::int64_t terms) {
  if (c10::toRealValueType(type) != c10::kFloat) return b;
  double rms = 0.15 * std::sqrt(double(std::clamp<std::int64_t>(terms, 1, kLongestInOrder)));
  b.floorBiasUlp = b.floorRmsUlp;
  b.floorRmsUlp = std::max(b.floorRmsUlp, rms);
  b.floorP999Ulp = std::max(b.floorP999Ulp, 3.3 * rms);
  b.floorMaxUlp = std::max(b.floorMaxUlp, 5 * rms);
  return b;
}

MostErrors mostOf(const Bounds& b, const Errors& candidate, const Errors& original) {
  // Of fewer than a thousand elements the 99.9th percentile is the maximum, which has its own bound.
  bool hasTail = candidate.count >= 1000;
  double chance = chanceOf(candidate);
  return {chance * b.rms * original.rmsUlp + b.floorRmsUlp,
          hasTail ? b.p999 * original.p999Ulp + b.floorP999Ulp : std::numeric_limits<double>::infinity(),
          chance * b.max * original.maxUlp + b.floorMaxUlp};
}

double shareOf(const MostErrors& most, const Errors& e) {
  return std::max({e.rmsUlp / most.rmsUlp, e.p999Ulp / most.p999Ulp, e.maxUlp / most.maxUlp});
}

Beyond beyondOf(const Bounds& b, const Errors& candidate, const Errors& original, c10::ScalarType type) {
  // A constant factor hides behind a large error of the original, but not in the regression on the truth.
  double factor = 4 * std::abs(original.scale - 1) +
                  epsOf(c10::toRealValueType(type)) * (8 * b.floorScaleUlp + 0.5 * original.rmsUlp);
  if (!(std::abs(candidate.scale - 1) <= factor)) return Beyond::Scale;
  // A row that is repeated has one error, and that has one side.
  bool isOneError = candidate.rmsUlp - std::abs(candidate.bias) <= 1e-6 * candidate.rmsUlp;
  double mostBias = chanceOf(candidate) * b.rms * original.rmsUlp + b.floorBiasUlp;
  if (!isOneError && !(std::abs(candidate.bias) <= mostBias)) return Beyond::Bias;
  MostErrors most = mostOf(b, candidate, original);
  if (!(candidate.rmsUlp <= most.rmsUlp)) return Beyond::Rms;
  if (!(candidate.p999Ulp <= most.p999Ulp)) return Beyond::P999;
  return candidate.maxUlp <= most.maxUlp ? Beyond::Nothing : Beyond::Max;
}

bool within(const Bounds& b, const Errors& candidate, const Errors& original, c10::ScalarType type) {
  return beyondOf(b, candidate, original, type) == Beyond::Nothing;
}

const char* word(Grade grade) {
  switch (grade) {
    case Grade::Bitwise:
      return "bitwise";
    case Grade::OneUlp:
      return "one-ulp";
    case Grade::AtLeastAsAccurate:
      return "at-least-as-accurate";
    case Grade::WithinBound:
      return "within-bound";
    case Grade::Different:
      return "different";
  }
  return "";
}

bool withinOneUlp(const Tensor& a, const Tensor& b) {
  if (a.numel() == 0) return true;
  auto type = c10::toRealValueType(a.scalar_type());
  double eps = epsOf(type), least = smallestNormalOf(type);
  Tensor x = asRows(a).reshape({-1}), y = asRows(b).reshape({-1});
  for (std::int64_t from = 0; from < x.numel(); from += kChunkElements) {
    std::int64_t n = std::min(kChunkElements, x.numel() - from);
    Tensor p = x.narrow(0, from, n).to(at::kDouble), q = y.narrow(0, from, n).to(at::kDouble);
    Tensor ulp = at::exp2(at::floor(at::log2(p.abs().clamp_min_(least)))).mul_(eps);
    Tensor close = (p - q).abs_().le(ulp).logical_or_(p.eq(q)).logical_or_(p.isnan().logical_and_(q.isnan()));
    if (!close.all().item<bool>()) return false;
  }
  return true;
}

Grade gradeOf(const Tensor& original, const Tensor& candidate, const Errors& originalErrors,
              const Errors& candidateErrors, const Bounds& bounds, Reference reference) {
  if (withinOneUlp(original, candidate)) return Grade::OneUlp;
  auto type = original.scalar_type();
  if (!within(bounds, candidateErrors, originalErrors, type)) return Grade::Different;
  Bounds asGood{1.1, 1.1, 1.1, 0.05, 0.05, 0.05};
  if (reference == Reference::Fp64 && within(asGood, candidateErrors, originalErrors, type))
    return Grade::AtLeastAsAccurate;
  return Grade::WithinBound;
}

bool barelyVaries(const Tensor& y64, c10::ScalarType outputType) {
  if (y64.numel() < 2) return false;
  const Tensor rows = asRows(y64);
  return spreadOf(rows) <= 8 * epsOf(c10::toRealValueType(outputType)) * rmsOf(rows);
}

}  // namespace kadvise

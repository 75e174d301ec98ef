// A module against its formula in float64.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>

#include "profiler/accuracy.h"
#include "profiler/cases.h"
#include "profiler/component.h"

namespace kadvise {
namespace {

using at::Tensor;

// Whole numbers, because their mean is exact in every order of adding.
Tensor equalRows(const Tensor& like) {
  auto sizes = like.sizes().vec();
  if (!sizes.empty()) sizes.back() = 1;
  return at::randint(-4, 5, sizes, like.options()).expand_as(like).contiguous();
}

struct Drawn {
  std::string name;
  Tensor input;
};

// Beside the distributions of `compare`: rows of one repeated number (no variance at all), and tiny values
// (where an epsilon is all that counts).
std::vector<Drawn> distributions(const Specimen& s) {
  std::vector<Drawn> out;
  Values batch = {s.input()};
  for (auto& name : caseNames(batch))
    out.push_back({name, makeCase(name, batch, s.session().device, s.session().seed).inputs[0].toTensor()});
  if (s.input().scalar_type() != c10::kHalf) out.push_back({"tiny", s.random(1e-6)});
  out.push_back({"equal rows", equalRows(s.input())});
  return out;
}

double halfUlpOf(c10::ScalarType type) {
  switch (type) {
    case c10::kDouble:
      return 1.1e-16;
    case c10::kFloat:
      return 6e-8;
    case c10::kHalf:
      return 4.9e-4;
    default:
      return 3.9e-3;
  }
}

// What rounding may cost any sound implementation.
struct Allowance {
  Errors errors;     // over the counted elements
  Tensor counted;    // bool, of the output's shape
  double share = 1;  // of the elements that are counted
};

// How far each row of the exact output moves, at most, when the inputs are off by so many roundings.
Tensor movementOf(const Formula& formula, const Tensor& wide, const Tensor& truth, double relative,
                  int tries) {
  Tensor most;
  for (int i = 0; i < tries; ++i) {
    Tensor nudged = wide * (1 + relative * (2 * at::rand_like(wide) - 1));
    Tensor moved = (formula(nudged, at::kDouble) - truth).square().mean(-1, /*keepdim=*/true).sqrt_();
    most = most.defined() ? at::maximum(most, moved) : moved;
  }
  return most;
}

// A softmax over scores of a million jumps from key to key: where two scores are near each other, rounding
// alone decides the row, and how much it does grows as the exponential of the noise. Such rows answer to
// larger nudges out of all proportion, or as much as they do to small ones, and no bound on rounding holds
// there.
Tensor steadyRows(const Formula& formula, const Tensor& wide, const Tensor& truth, double rounding) {
  constexpr int kTries = 12;
  constexpr double kFew = 4, kMany = 32, kProportion = kMany / kFew, kNoticeable = 0.02;
  Tensor scale = truth.square().mean(-1, /*keepdim=*/true).sqrt_();
  Tensor few = movementOf(formula, wide, truth, kFew * rounding, kTries);
  Tensor many = movementOf(formula, wide, truth, kMany * rounding, kTries);
  Tensor outOfProportion = many.gt(few * (3 * kProportion)).logical_or_(many.lt(few * (kProportion / 4)));
  return outOfProportion.logical_and_(many.gt(scale * kNoticeable)).logical_not_().expand_as(truth);
}

// That of the plain formula in the module's dtype, and what the exact formula makes of an input that is off
// by a few roundings.
Allowance allowance(const Formula& formula, const Tensor& input, const Tensor& plain, const Tensor& truth) {
  constexpr int kTries = 4;
  constexpr double kRoundings = 4;
  double rounding = halfUlpOf(input.scalar_type());
  Tensor wide = input.to(at::kDouble);
  Allowance out;
  out.counted = steadyRows(formula, wide, truth, rounding);
  out.share = out.counted.to(at::kDouble).mean().item<double>();
  out.errors = errorsAgainst(plain, truth, out.counted);
  for (int i = 0; i < kTries; ++i) {
    Tensor nudged = wide * (1 + kRoundings * rounding * (2 * at::rand_like(wide) - 1));
    Errors e = errorsAgainst(formula(nudged, at::kDouble).to(plain.scalar_type()), truth, out.counted);
    out.errors.rmsUlp = std::max(out.errors.rmsUlp, e.rmsUlp);
    out.errors.p999Ulp = std::max(out.errors.p999Ulp, e.p999Ulp);
    out.errors.maxUlp = std::max(out.errors.maxUlp, e.maxUlp);
  }
  return out;
}

std::string figures(const Errors& ours, const Allowance& allowed) {
  std::string out = "max " + number(ours.maxUlp) + " ulp, rms " + number(ours.rmsUlp) +
                    "; rounding alone gives " + number(allowed.errors.maxUlp) + " and " +
                    number(allowed.errors.rmsUlp);
  if (allowed.share < 1)
    out += "; " + number(100 * (1 - allowed.share)) +
           "% of the rows are decided by rounding alone, and not counted";
  return out;
}

Property matches(const Specimen& s, const std::string& title, const Tensor& input, const Formula& formula) {
  constexpr double kLeastShare = 0.1;
  Tensor truth = formula(input.to(at::kDouble), at::kDouble);
  Tensor plain = formula(input, input.scalar_type()).to(input.scalar_type());
  Tensor given = s(input);
  if (given.sizes() != truth.sizes()) return passOrFail(title, false, "the output has another shape");
  if (!plain.isfinite().all().item<bool>())
    return {title, Property::Status::Skipped, "the formula itself overflows in this dtype"};
  if (!given.isfinite().all().item<bool>()) return passOrFail(title, false, "the output is not finite");
  Allowance allowed = allowance(formula, input, plain, truth);
  if (allowed.share < kLeastShare)
    return {title, Property::Status::Skipped,
            number(100 * (1 - allowed.share)) + "% of the rows are decided by rounding alone"};
  Errors ours = errorsAgainst(given, truth, allowed.counted);
  auto type = given.scalar_type();
  return passOrFail(title, within(boundsFor(type, Reference::Fp64), ours, allowed.errors, type),
                    figures(ours, allowed));
}

}  // namespace

std::vector<Property> matchesOver(const Specimen& s, const std::string& what, const Formula& formula) {
  std::vector<Property> out;
  for (auto& [name, input] : distributions(s))
    out.push_back(matches(s, "matches " + what + ", " + name, input, formula));
  return out;
}

}  // namespace kadvise

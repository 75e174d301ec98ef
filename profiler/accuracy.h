// How far an output is from the fp64 reference, and how far is too far.
//
// The unit is the ulp of the output's scale: u = (y - y64) / (eps(dtype) * max(|y64|, s)), where s is the
// root mean square of the last-dimension row of y64 (of the last dimensions, where the last has less than 8).
// An element that cancels to almost nothing within a row of ordinary numbers is thus not charged for its own
// tiny ulp, and y -> 2y is an error of 1/eps.
#pragma once

#include <ATen/core/Tensor.h>

#include <limits>
#include <string>

#include "analyzer/core/types.h"

namespace kadvise {

double epsOf(c10::ScalarType);  // the unit in the last place of 1

struct Errors {
  double rmsUlp = 0, p999Ulp = 0, maxUlp = 0;
  double bias = 0;         // mean signed error, ulp
  double scale = 1;        // <y, y64> / <y64, y64>
  std::int64_t count = 0;  // elements that were looked at
};

// Over the elements where counted is true (undefined: all) and both are finite. p99.9 is exact up to 4M
// elements and from an even sample above. Sizes must be equal; y64 is float64.
Errors errorsAgainst(const at::Tensor& y, const at::Tensor& y64, const at::Tensor& counted = {});

// A candidate's error may be at most factor * (the original's error) + floorUlp.
struct Bounds {
  double rms = 1.5, p999 = 2, max = 4;
  double floorRmsUlp = 2, floorP999Ulp = 2, floorMaxUlp = 2;
  // What a constant factor may hide behind, and where sums are long a constant difference: the rounding of
  // sums has either sign.
  double floorScaleUlp = 2;
  double floorBiasUlp = std::numeric_limits<double>::infinity();
};

enum class Reference {
  Fp64,         // the original in float64: errors of both sides are known
  OriginalOnly  // there is none: the original stands for the truth, and its own error is not known
};
Bounds boundsFor(c10::ScalarType, Reference);

// The same where the module sums so many terms: an original whose sums happen to be almost exact, since its
// library adds up in a tree, does not forbid one that adds up in order.
Bounds withSums(Bounds, c10::ScalarType, std::int64_t terms);

// What the candidate's error may be, next to the original's; infinite where it is not looked at.
struct MostErrors {
  double rmsUlp, p999Ulp, maxUlp;
};
MostErrors mostOf(const Bounds&, const Errors& candidate, const Errors& original);
double shareOf(const MostErrors&, const Errors&);  // the largest figure, as a share of what it may be

// The first figure that is beyond its bound. type: of the output.
enum class Beyond { Nothing, Scale, Bias, Rms, P999, Max };
Beyond beyondOf(const Bounds&, const Errors& candidate, const Errors& original, c10::ScalarType type);
bool within(const Bounds&, const Errors& candidate, const Errors& original, c10::ScalarType type);

// From best to worst; the order of the enum is the ladder.
enum class Grade { Bitwise, OneUlp, AtLeastAsAccurate, WithinBound, Different };
const char* word(Grade);

// Every element within one unit in the last place of its own, NaN equal to NaN.
bool withinOneUlp(const at::Tensor& a, const at::Tensor& b);

Grade gradeOf(const at::Tensor& original, const at::Tensor& candidate, const Errors& originalErrors,
              const Errors& candidateErrors, const Bounds&, Reference);

// The spread of an output is at the level of rounding: it would look right whatever was computed.
bool barelyVaries(const at::Tensor& y64, c10::ScalarType outputType);

}  // namespace kadvise

// The error of the original on a case is one draw of its roundings. Where it is small by chance, a candidate
// that is as good looks worse; other draws say how large it may be.
#pragma once

#include <torch/script.h>

#include <cstdint>
#include <functional>
#include <optional>
#include <vector>

#include "profiler/accuracy.h"
#include "profiler/cases.h"
#include "profiler/device.h"
#include "profiler/float64_reference.h"
#include "profiler/values.h"

namespace kadvise {

inline constexpr int kOtherDraws = 8;

// The leaves of the original's output with inputs and weights that a few roundings separate from those of a
// case, and of the float64 reference's with the same ones: what is compared are roundings alone, and not how
// far the result moves with the inputs. The weights, too: where the inputs are far from zero, how products
// round their weights is most of the error, and the same with any inputs.
struct Draw {
  std::vector<Leaf> output, truth;
};

// number: from 1 to kOtherDraws; nothing where no floating input can be moved, or the original does not run.
using Redraw = std::function<std::optional<Draw>(const Case&, int number)>;

// The original's weights are back in their place when it returns. state: see observedRun(); it is not moved.
std::optional<Draw> drawAgain(torch::jit::Module& original, Float64Reference&, const Device&,
                              std::uint64_t seed, const Case&, int number, const Attributes& state = {});

// The leaves of the original's output on the case as it is, with its float32 convolutions in TF32. Nothing
// where this process does not allow that, there are none, or the original does not run.
std::optional<std::vector<Leaf>> outputInTf32(torch::jit::Module& original, const Device&, std::uint64_t seed,
                                              const Case&, const Attributes& state = {});

// The largest that the original's errors may be: of as many draws as it takes, since each costs two runs.
struct DrawnErrors {
  Errors errors;
  bool isInTf32 = false;  // it is TF32 that makes them so large
};
struct Drawing {
  const Redraw& redraw;
  std::function<std::optional<Errors>(const Draw&)> errorsOf;  // nothing where there is no truth
  std::function<bool(const Errors&)> isEnough;
  // Whether other draws could make up for what the candidate is beyond its bounds: what is far beyond them
  // is no rounding.
  std::function<bool(const Errors&)> isNear;
  std::function<std::optional<Errors>()> inTf32;  // asked last
};
DrawnErrors overOtherDraws(const Drawing&, const Case&, const Errors& own);

bool isNearTo(const Bounds&, const Errors& candidate, const Errors& original);

}  // namespace kadvise

#include "profiler/other_draws.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "profiler/attributes.h"
#include "profiler/failure.h"
#include "profiler/nudge.h"
#include "profiler/observed_run.h"
#include "profiler/tf32_convolutions.h"

namespace kadvise {
namespace {

// Draws of one error of a sane module differ by less.
constexpr double kFarBeyond = 16;

bool hasFloats(const Values& inputs) {
  auto leaves = leavesOf(inputs, "input");
  return std::any_of(leaves.begin(), leaves.end(), [](const Leaf& leaf) {
    return leaf.value.isTensor() && leaf.value.toTensor().defined() &&
           leaf.value.toTensor().is_floating_point();
  });
}

at::Tensor movedBy(const at::Tensor& t) { return nudged(t, Rounding::OfProducts); }

// Not those of eight bits, which are only ever copied and converted.
bool isMoved(const at::Tensor& t) {
  auto type = t.scalar_type();
  return t.layout() == c10::kStrided &&
         (type == at::kFloat || type == at::kHalf || type == at::kBFloat16 || type == at::kDouble);
}

// One tensor under two names stays one.
using Memory = std::tuple<const void*, Sizes, Sizes>;
Memory memoryOf(const at::Tensor& t) { return {t.const_data_ptr(), t.sizes().vec(), t.strides().vec()}; }

struct Moved {
  std::vector<NamedTensor> all, ofReference;  // the second among the first
};

// Where the reference has a weight as a constant, or not at all since nothing reads it, it stays in both. One
// that the reference has under another of its names moves with that, unless it may be a constant, too.
Moved movedWeights(const torch::jit::Module& original, const Float64Weights& known) {
  std::vector<NamedTensor> weights = tensorAttributes(original);
  std::erase_if(weights, [](const NamedTensor& w) { return !isMoved(w.second); });
  auto isKnown = [&](const NamedTensor& w) {
    auto it = known.named.find(w.first);
    return it != known.named.end() && it->second == w.second.sizes();
  };
  std::map<Memory, at::Tensor> moved;
  for (auto& w : weights)
    if (isKnown(w) && !moved.contains(memoryOf(w.second)))
      moved.emplace(memoryOf(w.second), movedBy(w.second));
  Moved out;
  for (auto& w : weights) {
    auto it = moved.find(memoryOf(w.second));
    if (it == moved.end()) continue;
    bool isConstant = !isKnown(w) && known.constants.contains(w.second.sizes().vec());
    if (!isConstant) out.all.emplace_back(w.first, it->second);
    if (isKnown(w)) out.ofReference.emplace_back(w.first, it->second);
  }
  return out;
}

// Each figure the larger of the two; of scales, the one that is further from 1.
Errors largestOf(const Errors& a, const Errors& b) {
  Errors out = a;
  out.rmsUlp = std::max(a.rmsUlp, b.rmsUlp);
  out.p999Ulp = std::max(a.p999Ulp, b.p999Ulp);
  out.maxUlp = std::max(a.maxUlp, b.maxUlp);
  if (std::abs(b.bias) > std::abs(a.bias)) out.bias = b.bias;
  if (std::abs(b.scale - 1) > std::abs(a.scale - 1)) out.scale = b.scale;
  return out;
}

}  // namespace

std::optional<Draw> drawAgain(torch::jit::Module& original, Float64Reference& reference, const Device& device,
                              std::uint64_t seed, const Case& c, int number, const Attributes& state) {
  if (!hasFloats(c.inputs)) return std::nullopt;
  seedAll(device, seed + static_cast<std::uint64_t>(number));
  try {
    const Case moved{c.name, mapTensors(c.inputs, movedBy)};
    const Moved weights = movedWeights(original, reference.weights());
    const OtherWeights inPlace(original, weights.all);
    auto seen = observedRun(original, cloneOf(moved.inputs), device, seed, Canary::Fill::Nan, state);
    return Draw{leavesOf(seen.run.output, "output"), reference.outputOf(moved, state, weights.ofReference)};
  } catch (const std::exception&) {
    if (isLost(device)) throw;
    return std::nullopt;
  }
}

std::optional<std::vector<Leaf>> outputInTf32(torch::jit::Module& original, const Device& device,
                                              std::uint64_t seed, const Case& c, const Attributes& state) {
  if (!mayConvolveInTf32(device)) return std::nullopt;
  try {
    const ConvolutionsInTf32 inTf32(device.torch.type());
    auto seen = observedRun(original, cloneOf(c.inputs), device, seed, Canary::Fill::Nan, state);
    return inTf32.sawOne() ? std::optional(leavesOf(seen.run.output, "output")) : std::nullopt;
  } catch (const std::exception&) {
    if (isLost(device)) throw;
    return std::nullopt;
  }
}

DrawnErrors overOtherDraws(const Drawing& by, const Case& c, const Errors& own) {
  DrawnErrors out{own};
  for (int n = 1; by.redraw && n <= kOtherDraws && !by.isEnough(out.errors) && by.isNear(own); ++n) {
    auto draw = by.redraw(c, n);
    auto errors = draw ? by.errorsOf(*draw) : std::nullopt;
    if (!errors) break;
    out.errors = largestOf(out.errors, *errors);
  }
  if (!by.inTf32 || by.isEnough(out.errors)) return out;
  auto errors = by.inTf32();
  if (errors) out.errors = largestOf(out.errors, *errors);
  out.isInTf32 = errors && by.isEnough(out.errors);
  return out;
}

bool isNearTo(const Bounds& b, const Errors& candidate, const Errors& original) {
  return candidate.rmsUlp <= kFarBeyond * (b.rms * original.rmsUlp + b.floorRmsUlp);
}

}  // namespace kadvise

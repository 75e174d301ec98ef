#include "profiler/other_draws.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "profiler/attributes.h"
#include "profiler/failure.h"
#include "profiler/nudge.h"
#include "profiler/observed_run.h"

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
void move(std::vector<NamedTensor>& weights) {
  std::map<const void*, at::Tensor> moved;
  for (auto& [name, tensor] : weights) {
    auto [it, isNew] = moved.try_emplace(tensor.const_data_ptr());
    if (isNew || it->second.sizes() != tensor.sizes()) it->second = movedBy(tensor);
    tensor = it->second;
  }
}

}  // namespace

std::optional<Draw> drawAgain(torch::jit::Module& original, Float64Reference& reference, const Device& device,
                              std::uint64_t seed, const Case& c, int number) {
  if (!hasFloats(c.inputs)) return std::nullopt;
  seedAll(device, seed + static_cast<std::uint64_t>(number));
  try {
    const Case moved{c.name, mapTensors(c.inputs, movedBy)};
    std::vector<NamedTensor> weights = tensorAttributes(original);
    std::erase_if(weights, [](const NamedTensor& w) { return !isMoved(w.second); });
    // Else some of them are folded, and the twin's would be moved otherwise.
    if (!reference.hasAll(weights)) weights.clear();
    move(weights);
    const OtherWeights inPlace(original, weights);
    auto output = leavesOf(observedRun(original, cloneOf(moved.inputs), device, seed).run.output, "output");
    return Draw{std::move(output), reference.outputOf(moved, weights)};
  } catch (const std::exception&) {
    if (isLost(device)) throw;
    return std::nullopt;
  }
}

Errors largestOf(const Errors& a, const Errors& b) {
  Errors out = a;
  out.rmsUlp = std::max(a.rmsUlp, b.rmsUlp);
  out.p999Ulp = std::max(a.p999Ulp, b.p999Ulp);
  out.maxUlp = std::max(a.maxUlp, b.maxUlp);
  if (std::abs(b.bias) > std::abs(a.bias)) out.bias = b.bias;
  if (std::abs(b.scale - 1) > std::abs(a.scale - 1)) out.scale = b.scale;
  return out;
}

bool isWorthOtherDraws(const Bounds& b, const Errors& candidate, const Errors& original) {
  return candidate.rmsUlp <= kFarBeyond * (b.rms * original.rmsUlp + b.floorRmsUlp);
}

}  // namespace kadvise

#include "profiler/instability.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "profiler/nudge.h"

namespace kadvise {
namespace {

constexpr int kNudges = 16;          // at most: a place that seldom moves is to be seen, too
constexpr std::int64_t kFactor = 4;  // a rewrite rounds at more places than the inputs
constexpr double kSumFactor = 8;     // a single element may be far off

// How far two whole-number outputs of one shape are apart; nothing for anything else.
struct Distance {
  std::int64_t elements = 0;
  double sum = 0;
  bool permuted = false;  // the same numbers in another order
};

Distance distanceOf(const Leaf& a, const Leaf& b) {
  if (!a.value.isTensor() || !b.value.isTensor()) return {};
  const at::Tensor &x = a.value.toTensor(), &y = b.value.toTensor();
  if (!x.defined() || !y.defined() || !at::isIntegralType(x.scalar_type(), /*includeBool=*/true)) return {};
  if (x.scalar_type() != y.scalar_type() || x.sizes() != y.sizes() || x.device() != y.device()) return {};
  return {x.ne(y).sum().item<std::int64_t>(),
          (x.to(at::kDouble) - y.to(at::kDouble)).abs().sum().item<double>(),
          at::equal(std::get<0>(x.flatten().sort()), std::get<0>(y.flatten().sort()))};
}

bool isWithin(const Distance& candidate, const Distance& own) {
  if (candidate.elements > kFactor * own.elements) return false;
  // How far apart two indices are that change places says nothing.
  return candidate.permuted || candidate.sum <= kSumFactor * own.sum;
}

torch::jit::Module withNudgedWeights(const torch::jit::Module& module) {
  torch::jit::Module copy = module.deepcopy();
  for (at::Tensor t : copy.parameters())
    if (at::isFloatingType(t.scalar_type())) t.copy_(nudged(t));
  return copy;
}

}  // namespace

UnstableLeaves leavesThatRoundingDecides(
    const Run& original, const Run& candidate, const torch::jit::Module& module,
    const std::vector<c10::IValue>& inputs,
    const std::function<c10::IValue(torch::jit::Module&, std::vector<c10::IValue>)>& output,
    const std::function<void(int)>& reseed) {
  auto a = leavesOf(original.output, "output"), b = leavesOf(candidate.output, "output");
  if (a.size() != b.size()) return {};
  std::map<std::size_t, Distance> differing, own;
  for (std::size_t i = 0; i < a.size(); ++i)
    if (Distance d = distanceOf(a[i], b[i]); d.elements > 0) differing[i] = d;
  auto isExplained = [&](const auto& leaf) { return isWithin(leaf.second, own[leaf.first]); };
  for (int n = 0; n < kNudges && !std::ranges::all_of(differing, isExplained); ++n) {
    std::vector<Leaf> moved;
    try {
      reseed(n);
      torch::jit::Module nudgedModule = withNudgedWeights(module);
      moved = leavesOf(
          output(nudgedModule, mapTensors(inputs, [](const at::Tensor& t) { return nudged(t); })), "output");
    } catch (const std::exception&) {
      return {};
    }
    if (moved.size() != a.size()) continue;
    for (const auto& [i, unused] : differing) {
      Distance d = distanceOf(a[i], moved[i]);
      own[i] = {std::max(own[i].elements, d.elements), std::max(own[i].sum, d.sum), false};
    }
  }
  UnstableLeaves out;
  for (const auto& [i, distance] : differing)
    if (isWithin(distance, own[i])) out[i] = distance.elements;
  return out;
}

}  // namespace kadvise

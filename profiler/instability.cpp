#include "profiler/instability.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

namespace kadvise {
namespace {

constexpr int kNudges = 4;
constexpr double kRoundings = 4;      // by which an input is moved
constexpr std::int64_t kFactor = 4;  // a rewrite rounds at more places than the inputs

at::Tensor nudged(const at::Tensor& t) {
  if (!at::isFloatingType(t.scalar_type())) return t.clone();
  double step = kRoundings * (t.scalar_type() == at::kHalf       ? 0x1p-11
                              : t.scalar_type() == at::kBFloat16 ? 0x1p-8
                              : t.scalar_type() == at::kDouble   ? 0x1p-53
                                                                 : 0x1p-24);
  return laidOutLike(t, [&](const at::Tensor& x) { return x * (1 + step * at::randn_like(x)); });
}

// The elements in which two whole-number outputs of one shape differ; 0 for anything else.
std::int64_t elementsChanged(const Leaf& a, const Leaf& b) {
  if (!a.value.isTensor() || !b.value.isTensor()) return 0;
  const at::Tensor &x = a.value.toTensor(), &y = b.value.toTensor();
  if (!x.defined() || !y.defined() || !at::isIntegralType(x.scalar_type(), /*includeBool=*/true)) return 0;
  if (x.scalar_type() != y.scalar_type() || x.sizes() != y.sizes()) return 0;
  return x.ne(y).sum().item<std::int64_t>();
}

torch::jit::Module withNudgedWeights(const torch::jit::Module& module) {
  torch::jit::Module copy = module.deepcopy();
  for (at::Tensor t : copy.parameters())
    if (at::isFloatingType(t.scalar_type())) t.copy_(nudged(t));
  return copy;
}

}  // namespace

bool isWithinOwnInstability(const Run& original, const Run& candidate, const torch::jit::Module& module,
                            const std::vector<c10::IValue>& inputs,
                            const std::function<c10::IValue(torch::jit::Module&, std::vector<c10::IValue>)>& output) {
  auto a = leavesOf(original.output, "output"), b = leavesOf(candidate.output, "output");
  if (a.size() != b.size()) return false;
  std::size_t i = 0;
  while (i < a.size() && elementsChanged(a[i], b[i]) == 0) ++i;
  if (i == a.size()) return false;
  const std::int64_t changed = elementsChanged(a[i], b[i]);
  for (int n = 0; n < kNudges; ++n) {
    try {
      torch::jit::Module nudgedModule = withNudgedWeights(module);
      auto moved = leavesOf(output(nudgedModule, mapTensors(inputs, nudged)), "output");
      if (moved.size() == a.size() && changed <= kFactor * elementsChanged(a[i], moved[i])) return true;
    } catch (const std::exception&) {
      return false;
    }
  }
  return false;
}

}  // namespace kadvise

#include "profiler/float64_reference.h"

#include <algorithm>
#include <map>

#include "profiler/failure.h"
#include "profiler/observed_run.h"

namespace kadvise {

std::vector<Leaf> Float64Reference::outputOf(const Case& c, const std::vector<NamedTensor>& weights) {
  if (!load_) return {};
  try {
    if (!module_) module_ = load_();
    Values inputs = mapTensors(
        cloneOf(c.inputs), [](const at::Tensor& t) { return t.is_floating_point() ? t.to(at::kDouble) : t; });
    std::vector<NamedTensor> wide = weights;
    for (auto& [name, tensor] : wide) tensor = tensor.to(at::kDouble);
    const OtherWeights inPlace(*module_, wide);
    return leavesOf(observedRun(*module_, std::move(inputs), device_, seed_).run.output, "output");
  } catch (const std::exception& e) {
    if (isLost(device_)) throw;
    if (!weights.empty()) return {};  // with its own it may well run
    note_ =
        "the float64 reference does not run (" + reasonOf(e) + "), so it is compared with the original alone";
    if (!module_ || c.name == "inputs") load_ = nullptr;
    return {};
  }
}

bool Float64Reference::hasAll(const std::vector<NamedTensor>& weights) {
  if (!load_) return false;
  if (!module_) module_ = load_();
  std::map<std::string, at::Tensor> own;
  for (auto& [name, tensor] : tensorAttributes(*module_)) own.emplace(name, tensor);
  return std::all_of(weights.begin(), weights.end(), [&](const NamedTensor& w) {
    auto it = own.find(w.first);
    return it != own.end() && it->second.sizes() == w.second.sizes();
  });
}

}  // namespace kadvise

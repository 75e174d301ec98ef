#include "profiler/float64_reference.h"

#include "profiler/failure.h"
#include "profiler/observed_run.h"

namespace kadvise {
namespace {

using torch::jit::Block;
using torch::jit::Node;

void addConstant(const Node* n, std::set<Sizes>& out) {
  auto value = n->kind() == torch::jit::prim::Constant ? torch::jit::toIValue(n->output()) : std::nullopt;
  if (value && value->isTensor() && value->toTensor().defined()) out.insert(value->toTensor().sizes().vec());
  if (value && value->isTensorList())
    for (const at::Tensor& t : value->toTensorVector()) out.insert(t.sizes().vec());
}

void addConstants(const Block& block, std::set<Sizes>& out) {
  for (const Node* n : block.nodes()) {
    addConstant(n, out);
    for (const Block* inner : n->blocks()) addConstants(*inner, out);
  }
}

}  // namespace

std::vector<Leaf> Float64Reference::outputOf(const Case& c, const Attributes& state,
                                             const std::vector<NamedTensor>& weights) {
  if (isShortOfMemory_ && c.name != kOwnInputs) throw NoMemory();
  if (!load_) return {};
  try {
    if (!module_) module_ = load_();
    Values inputs = mapTensors(c.inputs, [](const at::Tensor& t) {
      return t.is_floating_point() && t.scalar_type() != at::kDouble ? t.to(at::kDouble) : cloneOf(t);
    });
    std::vector<NamedTensor> wide = weights;
    for (auto& [name, tensor] : wide) tensor = tensor.to(at::kDouble);
    const OtherWeights inPlace(*module_, wide);
    auto seen = observedRun(*module_, std::move(inputs), device_, seed_, Canary::Fill::Nan, widened(state));
    return leavesOf(seen.run.output, "output");
  } catch (const std::exception& e) {
    if (isLost(device_)) throw;
    const std::string reason = reasonOf(e);
    if (lacksMemory(reason)) isShortOfMemory_ = true;
    if (isShortOfMemory_ && c.name != kOwnInputs) throw NoMemory();
    if (!weights.empty()) return {};  // with its own it may well run
    note_ = "the float64 reference does not run (" + reason + "), so it is compared with the original alone";
    if (!module_ || c.name == kOwnInputs) load_ = nullptr;
    return {};
  }
}

Float64Weights Float64Reference::weights() {
  if (!load_) return {};
  if (!module_) module_ = load_();
  Float64Weights out;
  for (auto& [name, tensor] : tensorAttributes(*module_)) out.named.emplace(name, tensor.sizes().vec());
  addConstants(*module_->get_method("forward").graph()->block(), out.constants);
  return out;
}

}  // namespace kadvise

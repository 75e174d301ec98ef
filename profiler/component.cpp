#include "profiler/component.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/core/error.h"
#include "profiler/bind.h"
#include "profiler/equivalence.h"
#include "profiler/failure.h"
#include "profiler/forked.h"
#include "profiler/pulse.h"
#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

struct Kind {
  const char* name;
  std::vector<Property> (*examine)(const Specimen&);
};
constexpr Kind kKinds[] = {{"attention", examineAttention},
                           {"norm", examineNorm},
                           {"mlp", examineMlp},
                           {"embedding", examineEmbedding}};

const char* word(Property::Status s) {
  constexpr const char* kWords[] = {"pass", "fail", "unknown", "skipped"};
  return kWords[static_cast<int>(s)];
}

Tensor firstTensor(const c10::IValue& output) {
  for (auto& leaf : leavesOf(output, "output"))
    if (leaf.value.isTensor() && leaf.value.toTensor().defined()) return leaf.value.toTensor();
  throw Error("component", "the module's output holds no tensor");
}

}  // namespace

Specimen::Specimen(const Session& session, torch::jit::Module module, int heads)
    : session_(session), module_(std::move(module)), batch_(cloneOf(session.inputs)), heads_(heads) {
  tensors_ = tensorAttributes(module_);
  for (std::size_t i = 0; i < batch_.size(); ++i) {
    if (!batch_[i].isTensor()) continue;
    if (!input_.defined()) input_ = batch_[i].toTensor(), place_ = i;
    else others_.push_back(batch_[i].toTensor());
  }
  if (!input_.defined()) throw Error("inputs", "no input of the module is a tensor");
}

Tensor Specimen::operator()(const Tensor& input) const {
  Values values = cloneOf(batch_);
  values[place_] = input.clone();
  return firstTensor(forward(module_, values));
}

Tensor Specimen::random(double scale) const {
  seedAll(session_.device, session_.seed + 17);
  return at::randn(input_.sizes(), input_.options().dtype(at::kFloat)).mul(scale).to(input_.scalar_type());
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.2g", x);
  return text;
}

Property passOrFail(std::string name, bool pass, std::string figures) {
  return {std::move(name), pass ? Property::Status::Pass : Property::Status::Fail, std::move(figures)};
}

double relativeDifference(const Tensor& value, const Tensor& reference) {
  Tensor truth = reference.to(at::kDouble);
  double scale = std::sqrt(truth.square().mean().item<double>());
  double difference = std::sqrt((value.to(at::kDouble) - truth).square().mean().item<double>());
  return scale > 0 ? difference / scale : difference;
}

double roundingOf(c10::ScalarType type) {
  if (type == c10::kDouble) return 1e-10;
  return type == c10::kFloat ? 1e-4 : 3e-2;
}

Json component(Session& session, const Json& arguments, const Replies& replies) {
  std::string name = arguments.at("kind");
  for (auto& kind : kKinds) {
    if (name != kind.name) continue;
    Pulse pulse(replies);
    pulse.step("examining the " + name);
    c10::InferenceMode inference;
    Specimen specimen(session, session.model(), arguments.value("heads", 0));
    Json properties = Json::array();
    for (auto& p : kind.examine(specimen))
      properties.push_back({{"name", p.name}, {"status", word(p.status)}, {"figures", p.figures}});
    return {{"properties", properties}};
  }
  throw Error("component", "there is no kind \"" + name + "\"");
}

}  // namespace kadvise

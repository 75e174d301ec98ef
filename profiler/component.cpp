#include "profiler/component.h"

#include <c10/core/InferenceMode.h>

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "analyzer/core/error.h"
#include "profiler/accuracy.h"
#include "profiler/bind.h"
#include "profiler/cases.h"
#include "profiler/equivalence.h"
#include "profiler/failure.h"
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

// Beside the distributions of `compare`: rows of one repeated number (no variance at all), and tiny values
// (where an epsilon is all that counts). Whole numbers, because their mean is exact in every order of adding.
Tensor equalRows(const Tensor& like) {
  auto sizes = like.sizes().vec();
  if (!sizes.empty()) sizes.back() = 1;
  return at::randint(-4, 5, sizes, like.options()).expand_as(like).contiguous();
}

struct Drawn {
  std::string name;
  Tensor input;
};

std::vector<Drawn> distributions(const Specimen& s) {
  std::vector<Drawn> out;
  Values batch = {s.input()};
  for (auto& name : caseNames(batch))
    out.push_back({name, makeCase(name, batch, s.session().device, s.session().seed).inputs[0].toTensor()});
  if (s.input().scalar_type() != c10::kHalf) out.push_back({"tiny", s.random(1e-6)});
  out.push_back({"equal rows", equalRows(s.input())});
  return out;
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

namespace {

// What rounding may cost any sound implementation: that of the plain formula in the module's dtype, and what
// the exact formula makes of an input that is off by a few roundings. A softmax over scores of a million
// jumps from key to key.
Errors allowance(const Formula& formula, const Tensor& input, const Tensor& plain, const Tensor& truth) {
  constexpr int kTries = 4;
  constexpr double kRoundings = 4;
  double eps = input.scalar_type() == c10::kDouble  ? 1.1e-16
               : input.scalar_type() == c10::kFloat ? 6e-8
               : input.scalar_type() == c10::kHalf  ? 4.9e-4
                                                    : 3.9e-3;
  Errors out = errorsAgainst(plain, truth);
  Tensor wide = input.to(at::kDouble);
  for (int i = 0; i < kTries; ++i) {
    Tensor nudged = wide * (1 + kRoundings * eps * (2 * at::rand_like(wide) - 1));
    Errors e = errorsAgainst(formula(nudged, at::kDouble).to(plain.scalar_type()), truth);
    out.rmsUlp = std::max(out.rmsUlp, e.rmsUlp);
    out.p999Ulp = std::max(out.p999Ulp, e.p999Ulp);
    out.maxUlp = std::max(out.maxUlp, e.maxUlp);
  }
  return out;
}

}  // namespace

std::vector<Property> matchesOver(const Specimen& s, const std::string& what, const Formula& formula) {
  std::vector<Property> out;
  for (auto& [name, input] : distributions(s)) {
    Tensor truth = formula(input.to(at::kDouble), at::kDouble);
    Tensor plain = formula(input, input.scalar_type()).to(input.scalar_type());
    Tensor given = s(input);
    std::string title = "matches " + what + ", " + name;
    if (given.sizes() != truth.sizes()) {
      out.push_back(passOrFail(title, false, "the output has another shape"));
      continue;
    }
    if (!plain.isfinite().all().item<bool>()) {
      out.push_back({title, Property::Status::Skipped, "the formula itself overflows in this dtype"});
      continue;
    }
    Errors ours = errorsAgainst(given, truth), allowed = allowance(formula, input, plain, truth);
    bool finite = given.isfinite().all().item<bool>();
    bool pass =
        finite && within(boundsFor(given.scalar_type(), Reference::Fp64), ours, allowed, given.scalar_type());
    out.push_back(passOrFail(title, pass,
                             finite ? "max " + number(ours.maxUlp) + " ulp, rms " + number(ours.rmsUlp) +
                                          "; rounding alone gives " + number(allowed.maxUlp) + " and " +
                                          number(allowed.rmsUlp)
                                    : "the output is not finite"));
  }
  return out;
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

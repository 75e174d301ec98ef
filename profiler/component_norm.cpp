// LayerNorm and RMSNorm over the last dimension.
#include <ATen/ATen.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "profiler/component.h"

namespace kadvise {
namespace {

using at::Tensor;
using Status = Property::Status;

struct NormKind {
  const char* name;
  bool centred;         // subtracts the mean
  double weightOffset;  // 1 where the parameter is the weight's difference from one
};
constexpr NormKind kNormKinds[] = {{"LayerNorm", true, 0}, {"RMSNorm", false, 0}, {"RMSNorm", false, 1}};

constexpr double kUsualEpsilons[] = {1e-3, 1e-4, 1e-5, 1e-6, 1e-7, 1e-8, 1e-12};
constexpr double kUnlike = 0.3;  // relative difference from which a norm is of another kind altogether

struct Affine {
  Tensor weight, bias;  // undefined: none
  std::string trouble;  // why they are not known
};

bool endsWithAny(const std::string& name, std::initializer_list<const char*> ends) {
  std::string last = name.substr(name.rfind('.') + 1);
  return std::any_of(ends.begin(), ends.end(), [&](auto* e) { return last == e; });
}

Affine affineOf(const Specimen& s) {
  Affine out;
  auto features = s.input().size(-1);
  for (auto& [name, tensor] : s.tensors()) {
    if (!tensor.is_floating_point() || tensor.numel() < 2) continue;
    if (tensor.dim() != 1 || tensor.numel() != features) {
      out.trouble = "the parameter " + name + " has not the size of the last dimension";
      return out;
    }
    bool bias = endsWithAny(name, {"bias", "beta"}),
         weight = endsWithAny(name, {"weight", "gamma", "scale", "g"});
    Tensor& slot = bias ? out.bias : out.weight;
    if (slot.defined() || (!bias && !weight)) {
      out.trouble = "what the parameter " + name + " is for is not known";
      return out;
    }
    slot = tensor;
  }
  return out;
}

Tensor normalised(const Tensor& x, bool centred, double epsilon) {
  Tensor centre = centred ? x - x.mean(-1, true) : x;
  return centre * (centre.square().mean(-1, true) + epsilon).rsqrt();
}

// In the dtype's own way: half types are normalised in float32, as the operators do.
Formula formulaOf(const NormKind& kind, const Affine& a, double epsilon) {
  return [kind, a, epsilon](const Tensor& x, c10::ScalarType type) {
    auto inner = type == c10::kDouble ? c10::kDouble : c10::kFloat;
    Tensor y = normalised(x.to(inner), kind.centred, epsilon);
    if (a.weight.defined()) y = y * (a.weight.to(inner) + kind.weightOffset);
    if (a.bias.defined()) y = y + a.bias.to(inner);
    return y.to(type);
  };
}

// The output without weight and bias.
Tensor undone(const Tensor& y, const NormKind& kind, const Affine& a) {
  Tensor out = y.to(at::kDouble);
  if (a.bias.defined()) out = out - a.bias.to(at::kDouble);
  if (a.weight.defined()) out = out / (a.weight.to(at::kDouble) + kind.weightOffset);
  return out;
}

// From what the module does: at the scale where epsilon and the variance are alike, the outputs' size tells
// it.
double epsilonOf(const Specimen& s, const NormKind& kind, const Affine& a) {
  double best = 0, nearest = 0.25;  // outputs within a quarter of 1/sqrt(2) of their full size
  for (double scale = 1; scale > (s.input().scalar_type() == c10::kHalf ? 1e-3 : 1e-8); scale /= 3) {
    Tensor x = s.random(scale), y = undone(s(x), kind, a), wide = x.to(at::kDouble);
    Tensor variance = (kind.centred ? wide - wide.mean(-1, true) : wide).square().mean(-1);
    Tensor size = y.square().mean(-1);
    double distance = std::abs(size.median().item<double>() - 0.5);
    if (!(distance < nearest)) continue;
    nearest = distance;
    best = (variance * (1 / size - 1)).median().item<double>();
  }
  for (double usual : kUsualEpsilons)
    if (std::abs(best / usual - 1) < 0.05) return usual;
  return best;
}

struct Recovered {
  const NormKind* kind = nullptr;
  double epsilon = 0, difference = INFINITY;
};

Recovered recover(const Specimen& s, const Affine& a) {
  Recovered best;
  Tensor x = s.random(), given = s(x);
  for (auto& kind : kNormKinds) {
    if (kind.weightOffset != 0 && !a.weight.defined()) continue;
    double epsilon = epsilonOf(s, kind, a);
    Tensor truth = formulaOf(kind, a, epsilon)(x.to(at::kDouble), at::kDouble);
    if (truth.sizes() != given.sizes()) continue;
    double difference = relativeDifference(given, truth);
    if (difference < best.difference) best = {&kind, epsilon, difference};
  }
  return best;
}

std::string nameOf(const Recovered& r, std::int64_t features) {
  return std::string(r.kind->name) + "(" + std::to_string(features) + ", eps=" + number(r.epsilon) + ")" +
         (r.kind->weightOffset != 0 ? " with weight 1 + w" : "");
}

Property invariant(const Specimen& s, const std::string& name, const Tensor& changed) {
  double difference = relativeDifference(s(changed), s(s.random()));
  return passOrFail(name, difference < roundingOf(s.input().scalar_type()),
                    "relative difference " + number(difference));
}

// A batch norm, or a mean over the wrong dimension, lets one row into another.
Property rowsAreIndependent(const Specimen& s) {
  Tensor x = s.random(), rows = x.clone();
  if (x.dim() < 2 || x.numel() == x.size(-1))
    return {"rows are independent", Status::Skipped, "the input has one row; give one with more"};
  rows.view({-1, x.size(-1)}).select(0, 0).mul_(3).add_(1);
  Tensor before = s(x).reshape({-1, x.size(-1)}), after = s(rows).reshape({-1, x.size(-1)});
  double moved = (after - before).narrow(0, 1, before.size(0) - 1).abs().max().to(at::kDouble).item<double>();
  return passOrFail("rows are independent", moved == 0, "largest change of another row " + number(moved));
}

}  // namespace

std::vector<Property> examineNorm(const Specimen& s) {
  std::vector<Property> out;
  if (!s.input().is_floating_point() || s.input().dim() < 1)
    return {{"kind", Status::Unknown, "the input is not a floating tensor"}};
  if (s(s.input()).sizes() != s.input().sizes())
    return {{"kind", Status::Unknown, "the output has another shape than the input, as no norm has"}};
  out.push_back(rowsAreIndependent(s));
  // Powers of two, so that only epsilon is felt, which numbers of this size hide.
  out.push_back(invariant(s, "scale of a row does not matter", s.random(16)));
  Affine affine = affineOf(s);
  if (!affine.trouble.empty()) {
    out.push_back({"kind", Status::Unknown, affine.trouble});
    return out;
  }
  Recovered r = recover(s, affine);
  if (!r.kind || r.difference > kUnlike) {
    out.push_back({"kind", Status::Unknown,
                   "the outputs are like those of no LayerNorm or RMSNorm with these parameters"});
    return out;
  }
  std::string affineWords =
      affine.weight.defined() ? (affine.bias.defined() ? "weight and bias" : "weight") : "no weight";
  out.push_back({"kind", Status::Pass, nameOf(r, s.input().size(-1)) + ", " + affineWords});
  if (r.kind->centred) out.push_back(invariant(s, "an offset of a row does not matter", s.random() + 4));
  for (auto& p : matchesOver(s, nameOf(r, s.input().size(-1)), formulaOf(*r.kind, affine, r.epsilon)))
    out.push_back(p);
  return out;
}

}  // namespace kadvise

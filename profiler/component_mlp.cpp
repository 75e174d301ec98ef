// Two linears with an activation between them, or a gated pair and a third.
#include <ATen/ATen.h>

#include <cmath>
#include <optional>

#include "profiler/component.h"

namespace kadvise {
namespace {

using at::Tensor;
using Status = Property::Status;

struct Activation {
  const char* name;
  Tensor (*apply)(const Tensor&);
};
const Activation kActivations[] = {
    {"ReLU", [](const Tensor& x) { return at::relu(x); }},
    {"GELU", [](const Tensor& x) { return at::gelu(x); }},
    {"GELU (tanh)", [](const Tensor& x) { return at::gelu(x, "tanh"); }},
    {"quick GELU", [](const Tensor& x) { return x * at::sigmoid(x * 1.702); }},
    {"SiLU", [](const Tensor& x) { return at::silu(x); }},
    {"squared ReLU", [](const Tensor& x) { return at::relu(x).square(); }},
    {"tanh", [](const Tensor& x) { return at::tanh(x); }},
    {"sigmoid", [](const Tensor& x) { return at::sigmoid(x); }},
    {"ELU", [](const Tensor& x) { return at::elu(x); }},
    {"Mish", [](const Tensor& x) { return at::mish(x); }},
    {"no activation", [](const Tensor& x) { return x; }},
};

struct Linear {
  std::string name;
  Tensor weight, bias;  // [out, in]; bias undefined: none
};

// Weights are told by their shapes; a bias belongs to the weight of its own prefix.
std::vector<Linear> linearsOf(const Specimen& s, std::string& trouble) {
  std::vector<Linear> out;
  for (auto& [name, tensor] : s.tensors())
    if (tensor.is_floating_point() && tensor.dim() == 2)
      out.push_back({name.substr(0, name.rfind('.')), tensor, {}});
  for (auto& [name, tensor] : s.tensors()) {
    if (!tensor.is_floating_point() || tensor.dim() != 1) continue;
    auto prefix = name.substr(0, name.rfind('.'));
    bool placed = false;
    for (auto& linear : out)
      if (linear.name == prefix) linear.bias = tensor, placed = true;
    if (!placed) trouble = "what the parameter " + name + " is for is not known";
  }
  return out;
}

enum class Shape { Plain, Gated, FusedGate };

// One way to read the parameters. The first names the linear behind the activation; of a fused gate it is the
// half.
struct Reading {
  Shape shape;
  Linear first, second, last;
  bool gateFirst = true;
  std::string words;
};

bool maps(const Linear& l, std::int64_t from, std::int64_t to) {
  return l.weight.size(1) == from && l.weight.size(0) == to && (!l.bias.defined() || l.bias.numel() == to);
}

// [in, out] storage (GPT-2's Conv1D) is read as its transpose.
Linear transposed(const Linear& l) { return {l.name, l.weight.t(), l.bias}; }

void addReadings(std::vector<Reading>& out, const std::vector<Linear>& l, std::int64_t from,
                 std::int64_t to) {
  if (l.size() == 2)
    for (auto& [a, b] : {std::pair{l[0], l[1]}, std::pair{l[1], l[0]}}) {
      auto hidden = b.weight.size(1);
      if (!maps(b, hidden, to)) continue;
      if (maps(a, from, hidden)) out.push_back({Shape::Plain, a, {}, b, true, "linear, %, linear"});
      if (maps(a, from, 2 * hidden))
        for (bool gateFirst : {true, false})
          out.push_back({Shape::FusedGate,
                         a,
                         {},
                         b,
                         gateFirst,
                         gateFirst ? "gated by % of the first half" : "gated by % of the second half"});
    }
  if (l.size() != 3) return;
  for (std::size_t last = 0; last < 3; ++last) {
    const Linear &a = l[(last + 1) % 3], &b = l[(last + 2) % 3];
    auto hidden = l[last].weight.size(1);
    if (!maps(l[last], hidden, to) || !maps(a, from, hidden) || !maps(b, from, hidden)) continue;
    out.push_back({Shape::Gated, a, b, l[last], true, "gated by % of " + a.name});
    out.push_back({Shape::Gated, b, a, l[last], true, "gated by % of " + b.name});
  }
}

Tensor applied(const Tensor& x, const Linear& l, c10::ScalarType type) {
  return at::linear(x, l.weight.to(type),
                    l.bias.defined() ? std::optional<Tensor>(l.bias.to(type)) : std::nullopt);
}

Formula formulaOf(const Reading& r, const Activation& act) {
  return [r, act](const Tensor& x, c10::ScalarType type) {
    Tensor first = applied(x, r.first, type);
    if (r.shape == Shape::Plain) return applied(act.apply(first), r.last, type);
    if (r.shape == Shape::Gated) return applied(act.apply(first) * applied(x, r.second, type), r.last, type);
    auto halves = first.chunk(2, -1);
    return applied(act.apply(halves[r.gateFirst ? 0 : 1]) * halves[r.gateFirst ? 1 : 0], r.last, type);
  };
}

Property tokensAreIndependent(const Specimen& s) {
  if (s.input().numel() == s.input().size(-1))
    return {"tokens are independent", Status::Skipped, "the input has one token; give one with more"};
  Tensor x = s.random(), changed = x.clone();
  changed.view({-1, x.size(-1)}).select(0, 0).add_(1);
  Tensor before = s(x), after = s(changed);
  before = before.reshape({-1, before.size(-1)}), after = after.reshape({-1, after.size(-1)});
  double moved = (after - before).narrow(0, 1, before.size(0) - 1).abs().max().to(at::kDouble).item<double>();
  return passOrFail("tokens are independent", moved == 0, "largest change of another token " + number(moved));
}

std::string withName(std::string words, const char* activation) {
  auto at = words.find('%');
  return words.replace(at, 1, activation);
}

}  // namespace

std::vector<Property> examineMlp(const Specimen& s) {
  if (!s.input().is_floating_point() || s.input().dim() < 1)
    return {{"structure", Status::Unknown, "the input is not a floating tensor"}};
  Tensor x = s.random(), given = s(x);
  std::vector<Property> out = {tokensAreIndependent(s)};
  std::string trouble;
  auto linears = linearsOf(s, trouble);
  std::vector<Reading> readings;
  if (trouble.empty() && given.dim() == x.dim()) {
    addReadings(readings, linears, x.size(-1), given.size(-1));
    for (auto& l : linears) l = transposed(l);
    addReadings(readings, linears, x.size(-1), given.size(-1));
  }
  const Reading* reading = nullptr;
  const Activation* activation = nullptr;
  double least = INFINITY;
  for (auto& r : readings)
    for (auto& a : kActivations) {
      double difference = relativeDifference(given, formulaOf(r, a)(x.to(at::kDouble), at::kDouble));
      if (difference < least) least = difference, reading = &r, activation = &a;
    }
  if (!reading) {
    out.push_back({"structure", Status::Unknown,
                   trouble.empty()
                       ? "the parameters are neither those of two linears nor of a gated pair and a third"
                       : trouble});
    return out;
  }
  std::string words = withName(reading->words, activation->name);
  if (least > roundingOf(given.scalar_type())) {
    out.push_back({"structure", Status::Unknown,
                   "no known activation gives these outputs; the nearest is " + words +
                       ", relative difference " + number(least)});
    return out;
  }
  out.push_back({"structure", Status::Pass,
                 words + ", " + std::to_string(reading->last.weight.size(1)) + " hidden features"});
  for (auto& p : matchesOver(s, "\"" + words + "\"", formulaOf(*reading, *activation))) out.push_back(p);
  return out;
}

}  // namespace kadvise

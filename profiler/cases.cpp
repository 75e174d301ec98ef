#include "profiler/cases.h"

#include <ATen/ATen.h>

#include <algorithm>

#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

constexpr double kMaskValue = -1e4;

enum class Role { Fixed, Signed, Positive, Integer, Bool };

Role roleOf(const Tensor& t) {
  if (!t.defined() || t.layout() != c10::kStrided || t.numel() < 2) return Role::Fixed;
  if (t.scalar_type() == c10::kBool) return Role::Bool;
  if (c10::isIntegralType(t.scalar_type(), false)) return t.dim() > 0 ? Role::Integer : Role::Fixed;
  if (!t.is_floating_point()) return Role::Fixed;
  double low = t.min().item<double>(), high = t.max().item<double>();
  if (!(low > kMaskValue) || !std::isfinite(high)) return Role::Fixed;
  if (t.numel() > 2 && t.eq(low).logical_or_(t.eq(high)).all().item<bool>()) return Role::Fixed;
  return low >= 0 ? Role::Positive : Role::Signed;
}

// Narrow formats overflow, or round everything to one value, where wider ones show the effect.
double largeFactor(c10::ScalarType type) { return type == c10::kHalf ? 30 : 1e3; }
double offsetOf(c10::ScalarType type) {
  if (type == c10::kHalf) return 64;
  return type == c10::kBFloat16 ? 16 : 1e4;
}

struct Distribution {
  const char* name;
  Tensor (*draw)(const at::IntArrayRef sizes, const at::TensorOptions&, c10::ScalarType of);
};
const Distribution kDistributions[] = {
    {"normal",
     [](at::IntArrayRef s, const at::TensorOptions& o, c10::ScalarType) { return at::randn(s, o); }},
    {"normal-2",
     [](at::IntArrayRef s, const at::TensorOptions& o, c10::ScalarType) { return at::randn(s, o); }},
    {"offset", [](at::IntArrayRef s, const at::TensorOptions& o,
                  c10::ScalarType t) { return at::randn(s, o) + offsetOf(t); }},
    {"small",
     [](at::IntArrayRef s, const at::TensorOptions& o, c10::ScalarType) { return at::randn(s, o) * 1e-3; }},
    {"large", [](at::IntArrayRef s, const at::TensorOptions& o,
                 c10::ScalarType t) { return at::randn(s, o) * largeFactor(t); }},
    {"uniform",
     [](at::IntArrayRef s, const at::TensorOptions& o, c10::ScalarType) { return at::rand(s, o); }},
    {"sparse", [](at::IntArrayRef s, const at::TensorOptions& o,
                  c10::ScalarType) { return at::randn(s, o) * at::rand(s, o).lt(0.01); }},
};

Tensor drawn(const Distribution& d, const Tensor& model, Role role) {
  return laidOutLike(model, [&](const Tensor& m) {
    auto type = m.scalar_type();
    auto options =
        at::TensorOptions().device(m.device()).dtype(type == c10::kDouble ? at::kDouble : at::kFloat);
    Tensor values = d.draw(m.sizes(), options, type);
    return (role == Role::Positive ? values.abs_() : values).to(type);
  });
}

Tensor reversed(const Tensor& t, Role role) {
  return laidOutLike(t, [&](const Tensor& m) {
    if (role == Role::Integer) return m.flip({-1});
    return at::rand(m.sizes(), at::TensorOptions().device(m.device())).lt(0.5);
  });
}

}  // namespace

std::vector<std::string> caseNames(const Values& batch) {
  bool floats = false, others = false;
  for (const Leaf& leaf : leavesOf(batch, "input")) {
    if (!leaf.value.isTensor()) continue;
    Role role = roleOf(leaf.value.toTensor());
    floats |= role == Role::Signed || role == Role::Positive;
    others |= role == Role::Integer || role == Role::Bool;
  }
  std::vector<std::string> names = {"inputs"};
  if (floats)
    for (const auto& d : kDistributions) names.push_back(d.name);
  if (others) names.push_back("reversed");
  return names;
}

Case makeCase(const std::string& name, const Values& batch, const Device& device, std::uint64_t seed) {
  if (name == "inputs") return {name, cloneOf(batch)};
  std::uint64_t own = seed;
  for (unsigned char c : name) own = (own ^ c) * 1099511628211ull;
  seedAll(device, own);
  auto d = std::find_if(std::begin(kDistributions), std::end(kDistributions),
                        [&](const Distribution& x) { return name == x.name; });
  return {name, mapTensors(batch, [&](const Tensor& t) {
            Role role = roleOf(t);
            if (d != std::end(kDistributions) && (role == Role::Signed || role == Role::Positive))
              return drawn(*d, t, role);
            if (name == "reversed" && (role == Role::Integer || role == Role::Bool)) return reversed(t, role);
            return cloneOf(t);
          })};
}

}  // namespace kadvise

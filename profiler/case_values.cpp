#include "profiler/case_values.h"

#include <ATen/ATen.h>

#include <algorithm>
#include <limits>

#include "profiler/values.h"

namespace kadvise {
namespace {

using at::Tensor;

// Narrow formats overflow, or round everything to one value, where wider ones show the effect.
double largeFactor(c10::ScalarType type) { return type == c10::kHalf ? 30 : 1e3; }
double offsetOf(c10::ScalarType type) {
  if (type == c10::kHalf) return 64;
  return type == c10::kBFloat16 ? 16 : 1e4;
}
// The square overflows, a sum of thousands does not: whether a sum overflows may depend on its order. In
// float64 the square has to be a number still.
double hugeOf(c10::ScalarType type) {
  if (type == c10::kHalf) return 300;
  return type == c10::kDouble ? 1e150 : 1e30;
}
double denormalOf(c10::ScalarType type) {
  if (type == c10::kHalf) return 3e-5;
  return type == c10::kDouble ? 1e-310 : 1e-39;
}

// x with about one element of fifty replaced, the first and the last of them for sure.
Tensor sprinkled(const Tensor& x, const Tensor& with) {
  Tensor where = at::rand_like(x).lt(0.02);
  Tensor flat = where.view({-1});
  flat[0] = true, flat[flat.numel() - 1] = true;
  return at::where(where, with, x);
}

Tensor coin(const Tensor& x) { return at::rand_like(x).lt(0.5); }

// Draws in float32 or float64, contiguous; x is normal.
struct Distribution {
  const char* name;
  Breadth from;  // Wide: only there
  Tensor (*draw)(const Tensor& x, c10::ScalarType of);
};
const Distribution kDistributions[] = {
    {"normal", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType) { return x; }},
    {"normal-2", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType) { return x; }},
    {"offset", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType t) { return x + offsetOf(t); }},
    {"small", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType) { return x * 1e-3; }},
    {"large", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType t) { return x * largeFactor(t); }},
    {"uniform", Breadth::AsGiven, [](const Tensor& x, c10::ScalarType) { return at::rand_like(x); }},
    {"sparse", Breadth::AsGiven,
     [](const Tensor& x, c10::ScalarType) { return x * at::rand_like(x).lt(0.01); }},
    {"signed", Breadth::Wide, [](const Tensor& x, c10::ScalarType) { return x; }},
    {"offset-below", Breadth::Wide, [](const Tensor& x, c10::ScalarType t) { return x - offsetOf(t); }},
    {"uniform-signed", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) { return at::rand_like(x) * 2 - 1; }},
    {"heavy-tail", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType t) {
       return (x.pow(3) * 2).clamp(-largeFactor(t), largeFactor(t));
     }},
    {"alternating", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) {
       // Not each with the next: the lanes of a vector would then hold one sign each, and cancel only at the
       // end.
       Tensor sign = at::arange(x.numel(), x.options()).mul_(1.618034).floor_().remainder_(2).mul_(2).sub_(1);
       return x.abs() * sign.view_as(x);
     }},
    {"zeros", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) {
       return at::where(coin(x), x,
                        at::where(coin(x), at::scalar_tensor(-0.0, x.options()), at::zeros_like(x)));
     }},
    {"ties", Breadth::Wide, [](const Tensor& x, c10::ScalarType) { return (x * 2).round() / 2; }},
    {"equal", Breadth::Wide, [](const Tensor& x, c10::ScalarType) { return at::full_like(x, 1.5); }},
    {"one-huge", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) {
       Tensor out = x.clone();
       if (out.dim() > 0) out.select(-1, out.size(-1) / 2).fill_(100);
       return out;
     }},
    {"denormal", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType t) { return x.to(at::kDouble) * denormalOf(t); }},
    {"nan", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) {
       return sprinkled(x, at::full_like(x, std::numeric_limits<double>::quiet_NaN()));
     }},
    {"infinite", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType) {
       return sprinkled(x, at::where(coin(x), 1.0, -1.0).to(x.scalar_type()) / at::zeros_like(x));
     }},
    {"huge", Breadth::Wide,
     [](const Tensor& x, c10::ScalarType t) {
       return sprinkled(x.to(at::kDouble), at::where(coin(x), hugeOf(t), -hugeOf(t)).to(at::kDouble));
     }},
};

Tensor drawn(const Distribution& d, const Tensor& model, Role role) {
  return laidOutLike(model, [&](const Tensor& m) {
    auto options = at::TensorOptions()
                       .device(m.device())
                       .dtype(m.scalar_type() == c10::kDouble ? c10::kDouble : c10::kFloat);
    Tensor values = d.draw(at::randn(m.sizes(), options), m.scalar_type());
    // Only the wide cases ask what the batch does not: values below zero where it has none.
    if (role == Role::Positive && d.from == Breadth::AsGiven) values = values.abs_();
    return values.to(m.scalar_type());
  });
}

// An index that is there already stays in range.
Tensor repeated(const Tensor& model) {
  return laidOutLike(model, [](const Tensor& m) {
    Tensor out = m.clone(at::MemoryFormat::Contiguous), flat = out.view({-1});
    Tensor every = at::arange(flat.numel(), flat.options().dtype(at::kLong)).remainder(2).eq(0);
    return flat.masked_fill_(every, flat[0].clone()).view_as(out);
  });
}

Tensor extremes(const Tensor& model) {
  return laidOutLike(model, [](const Tensor& m) {
    std::int64_t bytes = static_cast<std::int64_t>(m.element_size());
    bool isUnsigned = m.scalar_type() == c10::kByte;
    std::int64_t high = bytes == 8   ? std::numeric_limits<std::int64_t>::max()
                        : isUnsigned ? 255
                                     : (std::int64_t{1} << (8 * bytes - 1)) - 1;
    std::int64_t low = isUnsigned ? 0 : -high - 1;
    std::vector<std::int64_t> values = {0, 1, high, low, high - 1, isUnsigned ? 2 : -1};
    // What no longer fits into 32 bits.
    if (bytes == 8) values.insert(values.end(), {std::int64_t{3} << 30, std::int64_t{-5} << 31});
    Tensor edges = at::tensor(values, m.options().dtype(at::kLong));
    Tensor which = at::randint(0, edges.numel(), m.sizes(), m.options().dtype(at::kLong));
    return edges.take(which).to(m.scalar_type());
  });
}

Tensor filled(const Tensor& model, double value) {
  return laidOutLike(model, [&](const Tensor& m) { return at::full_like(m, value); });
}

Tensor masksAs(bool visible, const Tensor& model, Role role) {
  if (role == Role::Bool) return filled(model, visible);
  return filled(model, visible ? 0 : at::where(model.isnan(), 0.0, model).min().item<double>());
}

}  // namespace

std::vector<std::string> valueCaseNames(const Kinds& kinds, Breadth breadth) {
  std::vector<std::string> names;
  bool wide = breadth == Breadth::Wide;
  for (const auto& d : kDistributions)
    if (kinds.floats && (wide || d.from == Breadth::AsGiven)) names.push_back(d.name);
  if (kinds.integers || kinds.bools) names.push_back("reversed");
  if (kinds.integers && wide) names.push_back("repeated");
  if (kinds.integers && wide && !kinds.indices) names.push_back("extremes");
  if ((kinds.bools || kinds.masks) && wide) names.insert(names.end(), {"masks-true", "masks-false"});
  return names;
}

Tensor valuesOfCase(const std::string& name, const Tensor& model, Role role) {
  auto d = std::find_if(std::begin(kDistributions), std::end(kDistributions),
                        [&](const Distribution& x) { return name == x.name; });
  if (d != std::end(kDistributions)) return isDrawn(role) ? drawn(*d, model, role) : Tensor();
  bool integer = role == Role::Integer;
  if (name == "reversed" && integer)
    return laidOutLike(model, [](const Tensor& m) { return m.flip({m.dim() - 1}); });
  if (name == "reversed" && role == Role::Bool)
    return laidOutLike(model, [](const Tensor& m) {
      return at::rand(m.sizes(), at::TensorOptions().device(m.device())).lt(0.5);
    });
  if (name == "repeated" && integer) return repeated(model);
  if (name == "extremes" && integer) return extremes(model);
  if (role != Role::Bool && role != Role::AdditiveMask) return {};
  if (name == "masks-true") return masksAs(true, model, role);
  return name == "masks-false" ? masksAs(false, model, role) : Tensor();
}

}  // namespace kadvise

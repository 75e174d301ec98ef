#include "tests/fuzz/same_values.h"

#include <sstream>

namespace kadvise::fuzz {
namespace {

constexpr double kRelative = 2e-4;  // of the largest element: sums in another order, in float32
constexpr double kAmplified = 30;   // times what the nearby runs differ

// bfloat16 keeps 8 bits, float16 11.
double roundingOf(at::ScalarType type) {
  if (type == at::kBFloat16) return 3e-2;
  if (type == at::kHalf) return 4e-3;
  return kRelative;
}

std::string describe(const at::Tensor& t) {
  std::ostringstream out;
  out << t.toType(at::kDouble).flatten().slice(0, 0, 12);
  return out.str();
}

std::optional<std::string> whyTensorsDiffer(const at::Tensor& want, const at::Tensor& have,
                                            const std::vector<at::Tensor>& nearby, bool nonFiniteMayChange) {
  if (want.defined() != have.defined()) return "one of them is undefined";
  if (!want.defined()) return std::nullopt;
  if (want.scalar_type() != have.scalar_type())
    return std::string("is ") + c10::toString(have.scalar_type()) + ", was " +
           c10::toString(want.scalar_type());
  if (want.sizes() != have.sizes()) {
    std::ostringstream out;
    out << "has the sizes " << have.sizes() << ", had " << want.sizes();
    return out.str();
  }
  if (want.numel() == 0 || want.is_complex()) return std::nullopt;
  auto x = want.toType(at::kDouble), y = have.toType(at::kDouble);
  auto finite = at::isfinite(x);
  auto scale = at::where(finite, x, 0.0).abs().max().item<double>();
  auto allowed = at::full_like(x, scale * roundingOf(want.scalar_type()) + 1e-30);
  auto unstable = at::zeros_like(x, at::kBool);
  for (auto& other : nearby) {
    if (!other.defined() || other.sizes() != want.sizes()) return std::nullopt;
    auto moved = (other.toType(at::kDouble) - x).abs();
    auto odd = (at::isfinite(other) != finite) | (at::isnan(other) != at::isnan(want));
    unstable = unstable | odd;
    allowed = allowed + at::where(at::isfinite(moved), moved, 0.0).max() * kAmplified;
  }
  if (c10::isIntegralType(want.scalar_type(), /*includeBool=*/true))
    for (auto& other : nearby)
      if (!at::equal(other, want)) return std::nullopt;
  // A declared domain is about what under- or overflows; denormal numbers on the way have few bits.
  if (nonFiniteMayChange) unstable = unstable | ~at::isfinite(want), allowed = allowed + scale * 1e-2;
  // What is near the end of the dtype's range may overflow on one of two ways.
  auto range = want.scalar_type() == at::kHalf ? 3e4 : 1e37;
  if (c10::isFloatingType(want.scalar_type()))
    unstable =
        unstable | (finite & (x.abs() > range)) | (at::isinf(x) & (at::isfinite(y)) & (y.abs() > range));
  // What is close to a pole is, rounded otherwise, on it.
  unstable = unstable | (finite & ~at::isfinite(y) & (x.abs() > at::where(finite, x, 0.0).abs().mean() * 30));
  auto equal = (x == y) | (at::isnan(x) & at::isnan(y)) | ((x - y).abs() <= allowed) | unstable;
  if (equal.all().item<bool>()) return std::nullopt;
  return "differs; it was " + describe(want) + "\nand is now " + describe(have);
}

std::optional<std::string> whyValuesDiffer(const c10::IValue& want, const c10::IValue& have,
                                           const Values& nearby, bool nonFiniteMayChange) {
  if (want.isTensor() && have.isTensor()) {
    std::vector<at::Tensor> others;
    for (auto& n : nearby) others.push_back(n.isTensor() ? n.toTensor() : at::Tensor());
    return whyTensorsDiffer(want.toTensor(), have.toTensor(), others, nonFiniteMayChange);
  }
  if (want.isTuple() || want.isList()) {
    auto itemsOf = [](const c10::IValue& v) {
      return v.isTuple() ? v.toTupleRef().elements().vec() : v.toListRef().vec();
    };
    if (want.isTuple() ? !have.isTuple() : !have.isList()) return "is of another kind";
    auto x = itemsOf(want), y = itemsOf(have);
    if (x.size() != y.size()) return "has another number of items";
    for (std::size_t i = 0; i < x.size(); ++i) {
      Values others;
      for (auto& n : nearby) {
        if (n.tagKind() != want.tagKind() || itemsOf(n).size() != x.size()) return std::nullopt;
        others.push_back(itemsOf(n)[i]);
      }
      if (auto why = whyValuesDiffer(x[i], y[i], others, nonFiniteMayChange))
        return "item " + std::to_string(i) + " " + *why;
    }
    return std::nullopt;
  }
  auto asTensor = [](const c10::IValue& v) {
    return v.isDouble() ? at::scalar_tensor(v.toDouble(), at::kFloat)
                        : at::scalar_tensor(v.toScalar(), at::kDouble);
  };
  if (want.isScalar() && have.isScalar()) {
    if (want.tagKind() != have.tagKind()) return "is " + have.tagKind() + ", was " + want.tagKind();
    std::vector<at::Tensor> others;
    for (auto& n : nearby) others.push_back(n.isScalar() ? asTensor(n) : at::Tensor());
    return whyTensorsDiffer(asTensor(want), asTensor(have), others, nonFiniteMayChange);
  }
  if (want.tagKind() != have.tagKind()) return "is " + have.tagKind() + ", was " + want.tagKind();
  return std::nullopt;
}

}  // namespace

std::optional<std::string> whyDifferent(const Values& want, const Values& have,
                                        const std::vector<Values>& nearby, bool nonFiniteMayChange) {
  if (want.size() != have.size()) return "another number of results";
  for (std::size_t i = 0; i < want.size(); ++i) {
    Values others;
    for (auto& n : nearby) others.push_back(n.at(i));
    if (auto why = whyValuesDiffer(want[i], have[i], others, nonFiniteMayChange))
      return "value " + std::to_string(i) + " " + *why;
  }
  return std::nullopt;
}

}  // namespace kadvise::fuzz

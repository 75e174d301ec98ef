#include "kernels/common/activations.h"

#include <ATen/OpMathType.h>
#include <ATen/ops/clamp_min.h>
#include <ATen/ops/gelu.h>
#include <ATen/ops/hardswish.h>
#include <ATen/ops/hardtanh.h>
#include <ATen/ops/mul.h>
#include <ATen/ops/relu.h>
#include <ATen/ops/sigmoid.h>
#include <ATen/ops/silu.h>

namespace kadvise {
namespace {

struct Name {
  const char* name;
  Activation activation;
};
constexpr Name kNames[] = {
    {"silu", Activation::Silu},          {"gelu", Activation::Gelu},
    {"gelu_tanh", Activation::GeluTanh}, {"quick_gelu", Activation::QuickGelu},
    {"sigmoid", Activation::Sigmoid},    {"relu", Activation::Relu},
    {"relu6", Activation::Relu6},        {"hardswish", Activation::HardSwish},
};

std::string listOfNames() {
  std::string list;
  for (const Name& entry : kNames) list += (list.empty() ? "" : ", ") + std::string(entry.name);
  return list;
}

// Two operators: in float, so that nothing is rounded between them.
Tensor quickGelu(const Tensor& x) {
  const Tensor wide = x.to(at::toOpMathType(x.scalar_type()));
  return at::mul(wide, at::sigmoid(at::mul(wide, 1.702))).to(x.scalar_type());
}

}  // namespace

Activation activationNamed(c10::string_view name) {
  for (const Name& entry : kNames) {
    if (name == entry.name) return entry.activation;
  }
  TORCH_CHECK(false, "kadvise: there is no activation '", name, "'; it must be one of ", listOfNames());
}

Tensor applied(Activation activation, const Tensor& x) {
  switch (activation) {
    case Activation::Silu:
      return at::silu(x);
    case Activation::Gelu:
      return at::gelu(x);
    case Activation::GeluTanh:
      return at::gelu(x, "tanh");
    case Activation::QuickGelu:
      return quickGelu(x);
    case Activation::Sigmoid:
      return at::sigmoid(x);
    case Activation::Relu:
      // Without Python, torch has no meta function for relu; clamp_min has another gradient at 0.
      return x.is_meta() ? at::clamp_min(x, 0) : at::relu(x);
    case Activation::Relu6:
      return x.is_meta() ? at::clamp_min(x, 0) : at::hardtanh(x, 0, 6);
    case Activation::HardSwish:
      return x.is_meta() ? at::clamp_min(x, 0) : at::hardswish(x);
    case Activation::LeakyRelu:
      break;  // which has no name, since it needs a slope
  }
  TORCH_CHECK(false, "kadvise: an activation without a name");
}

Activation activationOrNone(const MaybeName& name) { return name ? activationNamed(*name) : kNoActivation; }

Tensor appliedOrNot(const MaybeName& name, const Tensor& x) {
  return name ? applied(activationNamed(*name), x) : x;
}

}  // namespace kadvise

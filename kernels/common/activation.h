// The activations that operators take by name.
#pragma once

#include <cstdint>

namespace kadvise {

enum class Activation : std::int32_t {
  Silu = 0,       // v * sigmoid(v)
  Gelu = 1,       // by the error function
  GeluTanh = 2,   // v * sigmoid(2 u), u = sqrt(2 / pi) * (v + 0.044715 v^3), which is the form with tanh(u)
  QuickGelu = 3,  // v * sigmoid(1.702 v)
  Sigmoid = 4,
  Relu = 5,
  Relu6 = 6,      // min(max(v, 0), 6)
  HardSwish = 7,  // v * relu6(v + 3) / 6
  LeakyRelu = 8,  // v, or v * slope below 0: of operators that take a slope
};

// Where an operator can do without.
constexpr Activation kNoActivation = static_cast<Activation>(-1);

}  // namespace kadvise
